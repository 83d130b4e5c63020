import type { RunPort } from "@phasekit/core";
import { askReviewer, type AskReviewerOptions } from "./ask-reviewer.ts";
import { answerHelp, helpRequested } from "./help-facts.ts";

/** Who answers, and how long that may take. */
export type AnswerReviewsOptions = AskReviewerOptions;

/**
 * Answers the reviews a run asks for and the questions of its agent, at the edge where models and people are. An answer
 * that fails or comes too late is recorded as `failed`, and the policy `review` goes on without it. Returns the function
 * that ends it.
 *
 * @example
 * const end = answerReviews(run, { reviewer: ({ prompt }) => (prompt.includes("ALERT") ? { verdict: "reject" } : { verdict: "approve" }) });
 */
export function answerReviews(run: RunPort, options: AnswerReviewsOptions): () => void {
  return run.subscribe((step) => {
    for (const event of step) {
      if (event.type === "review.requested" && event.applied) {
        const { review, kind, text } = event;
        void askReviewer({ id: review, kind, prompt: text }, options).then((outcome) => run.record({ type: "review.finished", review, ...outcome }));
      } else if (helpRequested.is(event) && !event.data.own) void answerHelp(run, event.data, options);
    }
  });
}
