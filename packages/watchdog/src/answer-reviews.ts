import type { RunEvent, RunPort } from "@phasekit/core";
import type { ReviewAnswer, Reviewer, ReviewRequest } from "./reviewers.ts";

/** Who answers, and how long that may take. */
export interface AnswerReviewsOptions {
  readonly reviewer: Reviewer;
  /** A name for the log. */
  readonly name?: string;
  /** How long an answer may take, once there is a `sleep`. @default 300000 */
  readonly timeoutMs?: number;
  /** Lets time pass, such as `setTimeout` from `node:timers/promises`. Without it a reviewer may take for ever. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/**
 * Answers the reviews a run asks for, at the edge where models and people are. An answer that fails or comes too late is
 * recorded as `failed`, and the policy `review` goes on without it. Returns the function that ends it.
 *
 * @example
 * const end = answerReviews(run, { reviewer: ({ prompt }) => (prompt.includes("ALERT") ? { verdict: "reject" } : { verdict: "approve" }) });
 */
export function answerReviews(run: RunPort, options: AnswerReviewsOptions): () => void {
  return run.subscribe((step) => {
    for (const event of step) if (event.type === "review.requested" && event.applied) void answer(run, event, options);
  });
}

async function answer(run: RunPort, event: RunEvent & { readonly type: "review.requested" }, { reviewer, name, timeoutMs = 300_000, sleep }: AnswerReviewsOptions): Promise<void> {
  const request: ReviewRequest = { id: event.review, kind: event.kind, prompt: event.text };
  // Asked at the next tick: a subscriber should not hold up the step it is told about.
  const asked = Promise.resolve().then(() => reviewer(request));
  const late = sleep?.(timeoutMs).then(() => undefined);
  let given: ReviewAnswer | undefined;
  try {
    given = await (late === undefined ? asked : Promise.race([asked, late]));
  } catch {
    given = undefined;
  }
  const valid = given !== undefined && ["approve", "needs-changes", "reject"].includes(given.verdict);
  run.record({
    type: "review.finished",
    review: event.review,
    verdict: valid && given !== undefined ? given.verdict : "failed",
    ...(valid && given?.feedback !== undefined && { feedback: given.feedback }),
    ...(name !== undefined && { reviewer: name }),
    ...(!valid && { fallback: true }),
  });
}
