import { defineEvent, type PendingReview, type RunPort } from "@phasekit/core";
import { defined, type Reviewer, type ReviewVerdict } from "@phasekit/core/adapter";

/** Options for `answerReviews()`. */
export interface AnswerReviewsOptions {
  readonly reviewer: Reviewer;
  /** A name for the log. */
  readonly name?: string;
  /**
   * Settles when an answer is too late, such as `() => setTimeout(300_000)` of `node:timers/promises`.
   * @default no timeout
   */
  readonly timeout?: () => Promise<unknown>;
}

/** The outcome of asking, as events hold it: an answer that failed or came too late is `failed`. */
export interface ReviewOutcome {
  readonly verdict: ReviewVerdict["verdict"] | "failed";
  readonly feedback?: string;
  readonly reviewer?: string;
  readonly fallback?: boolean;
}

/**
 * Answers the reviews a run asks for and the questions of its agent, at the edge where models and people are. An answer
 * that fails or comes too late is recorded as `failed`, and the policy `budgetReview` continues without it. Returns a
 * function that ends it.
 *
 * @example
 * const end = answerReviews(run, {
 *   reviewer: ({ text }) => (text.includes("ALERT") ? { verdict: "reject" } : { verdict: "approve" }),
 * });
 */
export function answerReviews(run: RunPort, options: AnswerReviewsOptions): () => void {
  return run.subscribe((step) => {
    for (const event of step) {
      if (event.type === "review.requested" && event.applied) {
        const { review } = event;
        void askReviewer(run, event, options).then((outcome) =>
          run.record({ type: "review.finished", review, ...outcome }),
        );
      } else if (helpRequested.is(event) && !event.data.own) void answerHelp(run, event.data, options);
    }
  });
}

/** Asks a reviewer; it never throws. */
async function askReviewer(
  run: RunPort,
  review: PendingReview,
  { reviewer, name, timeout }: AnswerReviewsOptions,
): Promise<ReviewOutcome> {
  // Asked in a later tick: a subscriber must not delay the step it gets.
  const asked = Promise.resolve().then(() => reviewer(review, run));
  const late = timeout?.().then(() => undefined);
  let given: ReviewVerdict | undefined;
  try {
    given = await (late === undefined ? asked : Promise.race([asked, late]));
  } catch {
    given = undefined;
  }
  const answer =
    given !== undefined && ["approve", "needs-changes", "reject"].includes(given.verdict) ? given : undefined;
  return defined({
    verdict: answer?.verdict ?? ("failed" as const),
    feedback: answer?.feedback,
    reviewer: name,
    fallback: answer === undefined || undefined,
  });
}

/** A question of the agent on its way to a reviewer. */
export interface HelpRequest {
  readonly review: string;
  readonly question: string;
  /** The request as a reviewer reads it. */
  readonly text: string;
  /** True if the tool asks a reviewer of its own; otherwise `answerReviews` answers. */
  readonly own: boolean;
}

/** Recorded when an agent asks for help. */
export const helpRequested = /* @__PURE__ */ defineEvent<HelpRequest>("watchdog.help-requested");

/** Recorded with the answer. */
export const helpGiven = /* @__PURE__ */ defineEvent<ReviewOutcome & { readonly review: string }>(
  "watchdog.help-given",
);

/** Asks the reviewer a question of the agent and records the answer. */
export async function answerHelp(
  run: RunPort,
  { review, text }: HelpRequest,
  options: AnswerReviewsOptions,
): Promise<void> {
  const outcome = await askReviewer(run, { review, kind: "question", text, by: "agent", applied: true }, options);
  run.record(helpGiven.record({ review, ...outcome }));
}
