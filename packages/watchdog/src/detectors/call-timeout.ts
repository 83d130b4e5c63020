import { alert, definePolicy, type Policy, type RunView } from "@phasekit/core";

/** Options of `callTimeout`. */
export interface CallTimeoutOptions {
  /** The longest a tool call may take. @default 600000 */
  readonly toolMs?: number;
  /** The longest a model call may take. @default 1800000 */
  readonly modelMs?: number;
}

/**
 * Notices one call that takes longer than its limit: while it is pending, by the clock, and when it comes back.
 * The next call or answer that is in time ends it.
 *
 * Fires: a tool call of more than ten minutes, a model call of more than thirty. Silent: at the limit; time set aside.
 * Seen: trail/gaia__88e4ce6a659df42a4146331fff36417c, one model call of forty minutes; seed 003, a call past its window.
 */
export function callTimeout({ toolMs = 600_000, modelMs = 1_800_000 }: CallTimeoutOptions = {}): Policy {
  const report = (call: string, tookMs: number) => alert({ kind: "call-timeout", signature: call, severity: "warning", evidence: { call, tookMs } });
  const ofModel = ({ model = "the model", durationMs = 0 }: { readonly model?: string; readonly durationMs?: number }) =>
    durationMs > modelMs ? report(model, durationMs) : undefined;
  // A call of an earlier turn whose result never came is lost, not late: the agent has gone on.
  const waitedFor = ({ pending, turn: now }: RunView) => [...pending.values()].filter(({ turn, refused }) => turn === now && refused === undefined);
  return definePolicy({
    name: "call-timeout",
    version: "2",
    // The clock notices a call that is late; what ends the alert is another kind of fact.
    saysAll: true,
    decide: {
      "tool.finished": (_run, _state, { tool, durationMs = 0 }) => (durationMs > toolMs ? report(tool, durationMs) : undefined),
      "model.answered": (_run, _state, event) => ofModel(event),
      "model.failed": (_run, _state, event) => ofModel(event),
      "clock.ticked": (run) => {
        const late = waitedFor(run).find(({ at }) => run.now - at >= toolMs);
        return late === undefined ? undefined : report(late.tool, run.now - late.at);
      },
    },
    wakeAt: (run) => (run.pending.size === 0 ? undefined : earliestOf(waitedFor(run).map(({ at }) => at + toolMs))),
  });
}

function earliestOf(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}
