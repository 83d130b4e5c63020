import type { ReviewAnswer, Reviewer, ReviewRequest } from "./reviewers.ts";

/** Who answers, and how long that may take. */
export interface AskReviewerOptions {
  readonly reviewer: Reviewer;
  /** A name for the log. */
  readonly name?: string;
  /** How long an answer may take, once there is a `sleep`. @default 300000 */
  readonly timeoutMs?: number;
  /** Lets time pass, such as `setTimeout` from `node:timers/promises`. Without it a reviewer may take for ever. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** What came of asking, as facts hold it: an answer that failed or came too late is `failed`. */
export interface ReviewOutcome {
  readonly verdict: ReviewAnswer["verdict"] | "failed";
  readonly feedback?: string;
  readonly reviewer?: string;
  readonly fallback?: boolean;
}

/** Asks a reviewer; it never throws. */
export async function askReviewer(request: ReviewRequest, { reviewer, name, timeoutMs = 300_000, sleep }: AskReviewerOptions): Promise<ReviewOutcome> {
  // Asked at the next tick: a subscriber should not hold up the step it is told about.
  const asked = Promise.resolve().then(() => reviewer(request));
  const late = sleep?.(timeoutMs).then(() => undefined);
  let given: ReviewAnswer | undefined;
  try {
    given = await (late === undefined ? asked : Promise.race([asked, late]));
  } catch {
    given = undefined;
  }
  const answer = given !== undefined && ["approve", "needs-changes", "reject"].includes(given.verdict) ? given : undefined;
  return {
    verdict: answer?.verdict ?? "failed",
    ...(answer?.feedback !== undefined && { feedback: answer.feedback }),
    ...(name !== undefined && { reviewer: name }),
    ...(answer === undefined && { fallback: true }),
  };
}
