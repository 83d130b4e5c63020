import type { PendingReview } from "@phasekit/core";
import type { Reviewer, ReviewVerdict } from "@phasekit/core/adapter";
import { readVerdict } from "./read-verdict.ts";

/**
 * A reviewer that asks a model. The answer may be JSON with `verdict` and `feedback`, or prose that names its verdict.
 *
 * @example
 * answerReviews(run, { reviewer: modelReviewer((text) => complete(text)) });
 */
export function modelReviewer(ask: (text: string) => Promise<string>): Reviewer {
  return async ({ text }) => readVerdict(await ask(text));
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
