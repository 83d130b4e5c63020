/** What a reviewer is asked. */
export interface ReviewRequest {
  readonly id: string;
  readonly kind: string;
  readonly prompt: string;
}

/** What a reviewer answers. */
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

/** Reads a verdict from a model's words; prose without one is advice, so it counts as "needs changes". */
export function readAnswer(text: string): ReviewAnswer {
  const json = /\{[\s\S]*\}/.exec(text);
  if (json !== null) {
    try {
      const { verdict, status, feedback } = JSON.parse(json[0]) as Readonly<Record<string, unknown>>;
      const word = verdict ?? status;
      const found = typeof word === "string" ? verdictOf(word) : undefined;
      if (found !== undefined) return { verdict: found, ...(typeof feedback === "string" && { feedback }) };
    } catch {
      // Braces in prose are no JSON; the words decide.
    }
  }
  const [first = "", ...rest] = text.trim().split("\n");
  const heading = verdictOf(first);
  const feedback = heading === undefined ? text.trim() : [first.replace(VERDICT, "").replace(/^[\s:.*#-]+/, ""), ...rest].join("\n").trim();
  return { verdict: heading ?? verdictOf(text) ?? "needs-changes", ...(feedback !== "" && { feedback }) };
}

const VERDICT = /\b(?:verdict|status)?\s*[:=]?\s*\**\s*(approved?|needs[ _-]changes|reject(?:ed)?|abandon(?:ed)?)\b\**/i;

function verdictOf(text: string): ReviewAnswer["verdict"] | undefined {
  const word = VERDICT.exec(text)?.[1]?.toLowerCase() ?? "";
  if (word === "") return undefined;
  return word.startsWith("approve") ? "approve" : word.startsWith("needs") ? "needs-changes" : "reject";
}

/** A reviewer who is a person: requests wait until they are answered. */
export interface PersonReviewer {
  readonly reviewer: Reviewer;
  /** The requests that wait, oldest first. */
  readonly pending: () => readonly ReviewRequest[];
  /** Answers one; false when it does not wait. */
  readonly answer: (id: string, answer: ReviewAnswer) => boolean;
}

/** Makes a reviewer for a person behind a user interface. */
export function personReviewer(): PersonReviewer {
  const waiting = new Map<string, { readonly request: ReviewRequest; readonly settle: (answer: ReviewAnswer) => void }>();
  return {
    reviewer: (request) => new Promise((settle) => { waiting.set(request.id, { request, settle }); }),
    pending: () => [...waiting.values()].map(({ request }) => request),
    answer: (id, answer) => {
      const found = waiting.get(id);
      waiting.delete(id);
      found?.settle(answer);
      return found !== undefined;
    },
  };
}
