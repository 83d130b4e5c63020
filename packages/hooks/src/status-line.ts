import { numberIn, objectIn, type Payload } from "./payload.ts";
import type { SessionStatus } from "./session-status.ts";

/**
 * One line for an agent's status bar: phase, turns, what it cost, the open alert and what is owed. `host` is what the
 * agent itself says about the session; Claude Code passes its cost and the use of its context.
 */
export function renderStatusLine(status: SessionStatus | undefined, host: Payload = {}): string {
  if (status === undefined) return "phasekit: off";
  const { mode, state, phase, turns = 0, alert, owed = [] } = status;
  const cost = numberIn(objectIn(host["cost"])["total_cost_usd"]);
  const used = numberIn(objectIn(host["context_window"])["used_percentage"]);
  return [
    `phasekit ${mode}`,
    phase === undefined ? state : state === "running" ? phase : `${phase} (${state})`,
    ...(turns > 0 ? [`${String(turns)} ${turns === 1 ? "turn" : "turns"}`] : []),
    ...(cost === undefined ? [] : [`$${cost.toFixed(2)}`]),
    ...(used === undefined ? [] : [`context ${String(Math.round(used))} %`]),
    ...(alert === undefined ? [] : [`! ${alert}`]),
    ...(owed.length === 0 ? [] : [`owed: ${owed.join(", ")}`]),
  ].join(" · ");
}
