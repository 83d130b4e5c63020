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
  /**
   * The verdict that counts if the reviewer's answer is not a verdict. With `failed` the run continues.
   * @default "failed"
   */
  readonly unknownVerdict?: "failed" | "needs-changes" | "reject";
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

const VERDICTS = ["approve", "needs-changes", "reject"] satisfies readonly ReviewVerdict["verdict"][];

/** Asks a reviewer; it never throws. */
async function askReviewer(
  run: RunPort,
  review: PendingReview,
  { reviewer, name, timeout, unknownVerdict = "failed" }: AnswerReviewsOptions,
): Promise<ReviewOutcome> {
  // Asked in a later tick: a subscriber must not delay the step it gets.
  const asked = Promise.resolve().then(() => reviewer(review, run));
  const late = timeout?.().then(() => undefined);
  // Plain JavaScript may answer with anything.
  let given: Partial<ReviewVerdict> | undefined;
  try {
    given = await (late === undefined ? asked : Promise.race([asked, late]));
  } catch {
    given = undefined;
  }
  const known = VERDICTS.find((verdict) => verdict === given?.verdict);
  return defined({
    verdict: known ?? (given === undefined ? "failed" : unknownVerdict),
    feedback: typeof given?.feedback === "string" ? given.feedback : undefined,
    reviewer: name,
    fallback: known === undefined || undefined,
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
