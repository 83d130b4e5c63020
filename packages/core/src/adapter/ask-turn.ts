import { runEnded, runStopped } from "../errors.ts";
import { CLOSING_TEXT, wrapEnvelope } from "../run/agent-texts.ts";
import type { RunPort, TurnAnswer } from "../run/run.ts";
import { defined } from "../text/defined.ts";
import { answerReview, type Reviewer } from "./answer-review.ts";
import { shieldRun } from "./shield-run.ts";

/** Options for `askTurn()`. All optional. */
interface AskOptions {
  /** The agent whose turn it is, unless it is the run's only one. */
  readonly agent?: string | undefined;
  /** Answers the review questions of policies. The turn waits for the answer. */
  readonly reviewer?: Reviewer | undefined;
  /** True if the loop must end and the host does not end it. @default false */
  readonly over?: boolean;
}

/**
 * Starts a turn in a host that asks again until something ends its loop: a stop becomes a closing turn, with
 * `wrapUp: true` and its text in `message`.
 *
 * @throws RUN_ENDED if the run has ended; RUN_STOPPED if it was aborted, or stopped and is over.
 */
export async function askTurn(run: RunPort, { agent, reviewer, over = false }: AskOptions = {}): Promise<TurnAnswer> {
  const { attempt, beforeTurn } = shieldRun(run);
  if (attempt("status", () => run.view.status === "ended", false)) throw runEnded(run.id);
  const turn = await answerReview(run, beforeTurn(defined({ agent })), reviewer);
  return toClosing(turn, over);
}

const closedRuns = new WeakSet<RunPort>();

/**
 * The turn of a client, which cannot end the host's loop: a stop becomes one closing turn without tools, then an error.
 *
 * @throws RUN_STOPPED if the run was aborted, or stopped and had its closing turn.
 */
export function closingTurn(run: RunPort, turn: TurnAnswer): TurnAnswer {
  const closing = toClosing(turn, closedRuns.has(run));
  if (closing.wrapUp) closedRuns.add(run);
  return closing;
}

function toClosing(turn: TurnAnswer, over: boolean): TurnAnswer {
  const { stop } = turn;
  if (stop === undefined) return turn;
  if (over || stop.how === "abort") throw runStopped(stop.reason);
  return { ...turn, wrapUp: true, message: turn.message ?? wrapEnvelope(stop.text ?? CLOSING_TEXT) };
}
