import type { RunPort, TurnAnswer } from "../run.ts";
import type { PendingReview } from "../run-view.ts";
import { shieldRun } from "./shield-run.ts";

/** What a reviewer says. */
export interface ReviewVerdict {
  readonly verdict: "approve" | "needs-changes" | "reject";
  readonly feedback?: string;
  readonly reviewer?: string;
}

/** Somebody who answers reviews: a model, a person, a function. */
export type Reviewer = (review: PendingReview, run: RunPort) => ReviewVerdict | Promise<ReviewVerdict>;

/** Waits for the reviewer when a turn asks for one, and gives the turn's answer after it. A reviewer that fails is recorded as such. */
export async function answerReview(run: RunPort, turn: TurnAnswer, reviewer: Reviewer | undefined): Promise<TurnAnswer> {
  const { review } = turn;
  if (review === undefined || reviewer === undefined) return turn;
  const shield = shieldRun(run);
  const verdict = await askReviewer(run, review, reviewer);
  shield.record({ type: "review.finished", review: review.review, ...verdict, waited: true });
  return shield.beforeTurn();
}

async function askReviewer(run: RunPort, review: PendingReview, reviewer: Reviewer): Promise<Omit<ReviewVerdict, "verdict"> & { readonly verdict: ReviewVerdict["verdict"] | "failed" }> {
  try {
    return await reviewer(review, run);
  } catch (error) {
    return { verdict: "failed", feedback: error instanceof Error ? error.message : String(error) };
  }
}
