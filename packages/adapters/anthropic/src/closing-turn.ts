import type { RunPort, TurnAnswer } from "@phasekit/core";
import { CLOSING_TEXT, runStopped, wrapEnvelope } from "@phasekit/core/adapter";

const closed = new WeakSet<RunPort>();

/**
 * A client cannot end the host's loop: a stop becomes one closing turn without tools, then an error.
 *
 * @throws RUN_STOPPED if the run had its closing turn.
 */
export function closingTurn(run: RunPort, turn: TurnAnswer): TurnAnswer {
  const { stop } = turn;
  if (stop !== undefined && (closed.has(run) || stop.how === "abort")) throw runStopped(stop.reason);
  if (stop !== undefined || turn.wrapUp) closed.add(run);
  return stop === undefined
    ? turn
    : { ...turn, wrapUp: true, message: turn.message ?? wrapEnvelope(stop.text ?? CLOSING_TEXT) };
}
