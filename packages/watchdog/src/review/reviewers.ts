import type { PendingReview } from "@phasekit/core";
import type { Reviewer, ReviewVerdict } from "@phasekit/core/adapter";

/**
 * A reviewer that asks a model. The answer may be JSON with `verdict` and `feedback`, or prose that names its verdict.
 *
 * @example
 * answerReviews(run, { reviewer: modelReviewer((text) => complete(text)) });
 */
export function modelReviewer(ask: (text: string) => Promise<string>): Reviewer {
  return async ({ text }) => readAnswer(await ask(text));
}

/** Reads the verdict of a model; prose without one is advice, so it counts as "needs changes". */
export function readAnswer(text: string): ReviewVerdict {
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
const VERDICTS: readonly (readonly [word: string, verdict: ReviewVerdict["verdict"]])[] = [
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
function findVerdict(text: string): { readonly verdict: ReviewVerdict["verdict"]; readonly rest: string } | undefined {
  const lower = text.toLowerCase();
  let best: { readonly at: number; readonly end: number; readonly verdict: ReviewVerdict["verdict"] } | undefined;
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

/** A reviewer who is a person: reviews wait until they are answered. */
export interface PersonReviewer {
  readonly reviewer: Reviewer;
  /** The reviews that wait, oldest first. */
  readonly pending: () => readonly PendingReview[];
  /** Answers one; false when it does not wait. */
  readonly answer: (review: string, verdict: ReviewVerdict) => boolean;
}

/** Creates a reviewer for a person behind a user interface. */
export function personReviewer(): PersonReviewer {
  const waiting = new Map<
    string,
    { readonly asked: PendingReview; readonly settle: (verdict: ReviewVerdict) => void }
  >();
  return {
    reviewer: (asked) =>
      new Promise((settle) => {
        waiting.set(asked.review, { asked, settle });
      }),
    pending: () => [...waiting.values()].map(({ asked }) => asked),
    answer: (review, verdict) => {
      const found = waiting.get(review);
      waiting.delete(review);
      found?.settle(verdict);
      return found !== undefined;
    },
  };
}
