import { defined } from "../text/defined.ts";
import type { NewEvent } from "../events/run-event.ts";
import { toObject } from "../text/loose-object.ts";
import { quote } from "../text/quote.ts";
import type { RunPort, TurnAnswer } from "../run/run.ts";
import { EXTENSION } from "../policies/budget-extension.ts";
import { limitNames } from "../policies/limits.ts";
import type { LimitName, PendingReview } from "../view/run-view.ts";
import { shieldRun } from "./shield-run.ts";

/** The verdict of a reviewer. */
export interface ReviewVerdict {
  readonly verdict: "approve" | "needs-changes" | "reject";
  /** For a `budget-extension`: how much more. @default the amount that was asked for */
  readonly grant?: number;
  readonly feedback?: string;
  readonly reviewer?: string;
}

/** Answers reviews: a model, a person, a function. */
export type Reviewer = (review: PendingReview, run: RunPort) => ReviewVerdict | Promise<ReviewVerdict>;

/**
 * Waits for the reviewer if a turn asks for one, and returns the turn's answer after it. Records a failing reviewer.
 *
 * @example
 * const turn = await answerReview(run, run.beforeTurn(), (review) => askArchitect(review.text));
 */
export async function answerReview(
  run: RunPort,
  turn: TurnAnswer,
  reviewer: Reviewer | undefined,
): Promise<TurnAnswer> {
  const { review } = turn;
  if (review === undefined || reviewer === undefined) return turn;
  const shield = shieldRun(run);
  const { grant, ...finished } = await askReviewer(run, review, reviewer);
  answerExtension(shield, review, { ...finished, ...defined({ grant }) });
  shield.record({ type: "review.finished", review: review.review, ...finished, waited: true });
  return shield.beforeTurn();
}

type ReviewResult = Pick<NewEvent<"review.finished">, "verdict" | "feedback" | "reviewer" | "fallback"> &
  Pick<ReviewVerdict, "grant">;

/** Records the answer to a request for more budget. */
function answerExtension(
  { record }: ReturnType<typeof shieldRun>,
  { review, kind, data }: PendingReview,
  { verdict, grant, feedback, reviewer }: ReviewResult,
): void {
  const { limit, amount } = toObject(data);
  if (kind !== EXTENSION || !isLimit(limit)) return;
  const why = feedback === undefined ? {} : { why: feedback };
  const by = reviewer === "grant-up-to" ? "policy" : "judge";
  const granted = verdict === "approve" ? (grant ?? amount) : 0;
  // An approval of nothing, or of something that is not a number, is not more.
  if (typeof granted === "number" && granted > 0)
    record({ type: "budget.granted", limit, amount: granted, by, review, ...why });
  else record({ type: "budget.denied", limit, by, review, ...why });
}

function isLimit(limit: unknown): limit is LimitName {
  return (limitNames as readonly unknown[]).includes(limit);
}

const VERDICTS: readonly unknown[] = ["approve", "needs-changes", "reject"] satisfies ReviewVerdict["verdict"][];

/** A reviewer whose verdict is not one of the three is asked once more; then the work needs changes. */
async function askReviewer(run: RunPort, review: PendingReview, reviewer: Reviewer): Promise<ReviewResult> {
  try {
    let answer: ReviewVerdict | undefined = await reviewer(review, run);
    if (!isKnown(answer)) answer = await reviewer(review, run);
    if (isKnown(answer)) return answer;
    const { verdict, feedback, reviewer: name } = toObject(answer);
    const text = `The reviewer's verdict ${quote(String(verdict))} is not approve, needs-changes or reject.`;
    return {
      verdict: "needs-changes",
      feedback: typeof feedback === "string" ? `${feedback}\n${text}` : text,
      ...(typeof name === "string" && { reviewer: name }),
      fallback: true,
    };
  } catch (error) {
    return { verdict: "failed", feedback: error instanceof Error ? error.message : String(error) };
  }
}

function isKnown(answer: ReviewVerdict | undefined): answer is ReviewVerdict {
  return VERDICTS.includes(toObject(answer)["verdict"]);
}
