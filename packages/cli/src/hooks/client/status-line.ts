import { blindTimes, type LooseObject, numberIn, toObject } from "@phasekit/core/adapter";
import type { SessionStatus } from "@phasekit/hooks";

/**
 * One line for an agent's status bar: phase, turns, what it cost, the open alert and what is owed. `host` is what the
 * agent itself says about the session; Claude Code passes its cost and the use of its context.
 */
export function renderStatusLine(status: SessionStatus | undefined, host: LooseObject = {}): string {
  if (status === undefined) return "phasekit: no live session";
  const { mode, state, phase, turns = 0, alert, owed = [], tokens, blind } = status;
  const cost = numberIn(toObject(host["cost"])["total_cost_usd"]) ?? status.cost;
  const used = numberIn(toObject(host["context_window"])["used_percentage"]);
  return [
    `phasekit ${mode}`,
    phase === undefined ? state : state === "running" ? phase : `${phase} (${state})`,
    ...(turns > 0 ? [`${String(turns)} ${turns === 1 ? "turn" : "turns"}`] : []),
    ...(tokens === undefined ? [] : [`${shortCount(tokens)} tokens`]),
    ...(cost === undefined ? [] : [`$${cost.toFixed(2)}`]),
    ...(used === undefined ? [] : [`context ${String(Math.round(used))} %`]),
    ...(alert === undefined ? [] : [`! ${alert}`]),
    ...(owed.length === 0 ? [] : [`owed: ${owed.join(", ")}`]),
    ...(blind === undefined ? [] : [`blind ${blindTimes(blind)}`]),
  ].join(" · ");
}

/** A count in at most four characters and a unit: 950, 12k, 1.4M. */
function shortCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_500 ? `${String(Math.round(count / 1000))}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
