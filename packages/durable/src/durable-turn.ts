import type { PendingReview, RunPort, TurnAnswer } from "@phasekit/core";
import { answerReview, type ReviewVerdict } from "@phasekit/core/adapter";
import type { Steps } from "./steps.ts";

/**
 * Asks `beforeTurn()`. If the turn wants a review, waits for the verdict with the engine's own waiting, which survives
 * a restart: DBOS `recv`, a Restate awakeable, a Temporal signal. Returns the turn with what was decided. An error that
 * the engine throws while it waits, such as a cancellation, is not recorded as a verdict: it ends the workflow.
 *
 * @example
 * const turn = await durableTurn(run, steps, (review) => DBOS.recv(review.review));
 */
export async function durableTurn(
  run: RunPort,
  steps: Steps,
  waitForVerdict: (review: PendingReview) => Promise<ReviewVerdict>,
): Promise<TurnAnswer> {
  const turn = run.beforeTurn();
  const { review } = turn;
  if (review === undefined) return turn;
  const verdict = await waitForVerdict(review);
  // The verdict came without a time.
  await steps.step(`reviewed ${review.review}`, () => undefined);
  return answerReview(run, turn, () => verdict);
}
