/** The request a reviewer gets. */
export interface ReviewRequest {
  readonly id: string;
  readonly kind: string;
  readonly prompt: string;
}

/** The answer of a reviewer. */
export interface ReviewAnswer {
  readonly verdict: "approve" | "needs-changes" | "reject";
  readonly feedback?: string;
}

/** Anything that can judge: a function, a model, a person. It may fail; there is a fallback. */
export type Reviewer = (request: ReviewRequest) => ReviewAnswer | Promise<ReviewAnswer>;

/**
 * A reviewer that asks a model. The answer may be JSON with `verdict` and `feedback`, or prose that names its verdict.
 *
 * @example
 * answerReviews(run, { reviewer: modelReviewer((prompt) => complete(prompt)) });
 */
export function modelReviewer(ask: (prompt: string) => Promise<string>): Reviewer {
  return async ({ prompt }) => readAnswer(await ask(prompt));
}

/** Reads the verdict of a model; prose without one is advice, so it counts as "needs changes". */
export function readAnswer(text: string): ReviewAnswer {
  const [open, close] = [text.indexOf("{"), text.lastIndexOf("}")];
  if (open !== -1 && close > open) {
    try {
      const { verdict, status, feedback } = JSON.parse(text.slice(open, close + 1)) as Readonly<
        Record<string, unknown>
      >;
      const word = verdict ?? status;
      const found = typeof word === "string" ? findVerdict(word)?.verdict : undefined;
      if (found !== undefined) return { verdict: found, ...(typeof feedback === "string" && { feedback }) };
    } catch {
      // Braces in prose are not JSON; the words decide.
    }
  }
  const [first = "", ...rest] = text.trim().split("\n");
  const heading = findVerdict(first);
  const feedback = heading === undefined ? text.trim() : [heading.rest, ...rest].join("\n").trim();
  return {
    verdict: heading?.verdict ?? findVerdict(text)?.verdict ?? "needs-changes",
    ...(feedback !== "" && { feedback }),
  };
}

/** Words by which a reviewer names a verdict; longer forms first. */
const VERDICTS: readonly (readonly [word: string, verdict: ReviewAnswer["verdict"]])[] = [
  ["approved", "approve"],
  ["approve", "approve"],
  ["needs changes", "needs-changes"],
  ["needs-changes", "needs-changes"],
  ["needs_changes", "needs-changes"],
  ["rejected", "reject"],
  ["reject", "reject"],
  ["abandoned", "reject"],
  ["abandon", "reject"],
];
/** Characters around a verdict that are not feedback. */
const AROUND = " \t:.=*#-";

/** The first verdict in a text, and the text behind it. */
function findVerdict(text: string): { readonly verdict: ReviewAnswer["verdict"]; readonly rest: string } | undefined {
  const lower = text.toLowerCase();
  let best: { readonly at: number; readonly end: number; readonly verdict: ReviewAnswer["verdict"] } | undefined;
  for (const [word, verdict] of VERDICTS) {
    const at = findWord(lower, word);
    if (at >= 0 && (best === undefined || at < best.at)) best = { at, end: at + word.length, verdict };
  }
  if (best === undefined) return undefined;
  let end = best.end;
  while (end < text.length && AROUND.includes(text[end] ?? "")) end += 1;
  const before = text.slice(0, best.at).trim().toLowerCase();
  // "Verdict: approved" is all heading; in a sentence, the sentence is the feedback.
  const isHeading = before === "" || HEADINGS.some((heading) => before.includes(heading)) || !/[a-z]/.test(before);
  return { verdict: best.verdict, rest: isHeading ? text.slice(end) : text };
}

const HEADINGS = ["verdict", "status"];

function findWord(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isLetter(text[at - 1]) && !isLetter(text[at + word.length])) return at;
  return -1;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && character >= "a" && character <= "z";
}

/** A reviewer who is a person: requests wait until they are answered. */
export interface PersonReviewer {
  readonly reviewer: Reviewer;
  /** The requests that wait, oldest first. */
  readonly pending: () => readonly ReviewRequest[];
  /** Answers one; false when it does not wait. */
  readonly answer: (id: string, answer: ReviewAnswer) => boolean;
}

/** Creates a reviewer for a person behind a user interface. */
export function personReviewer(): PersonReviewer {
  const waiting = new Map<
    string,
    { readonly request: ReviewRequest; readonly settle: (answer: ReviewAnswer) => void }
  >();
  return {
    reviewer: (request) =>
      new Promise((settle) => {
        waiting.set(request.id, { request, settle });
      }),
    pending: () => [...waiting.values()].map(({ request }) => request),
    answer: (id, answer) => {
      const found = waiting.get(id);
      waiting.delete(id);
      found?.settle(answer);
      return found !== undefined;
    },
  };
}
