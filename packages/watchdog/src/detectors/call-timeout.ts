import { alert, definePolicy, type Policy } from "@phasekit/core";

/** Options of `callTimeout`. */
export interface CallTimeoutOptions {
  /** The longest a tool call may take. @default 600000 */
  readonly toolMs?: number;
  /** The longest a model call may take. @default 1800000 */
  readonly modelMs?: number;
}

/**
 * Notices one call that takes longer than its limit: while it is pending, by the clock, and when it comes back.
 *
 * Fires: a tool call of more than ten minutes, a model call of more than thirty. Silent: at the limit; time set aside.
 * Seen: trail/gaia__88e4ce6a659df42a4146331fff36417c, one model call of forty minutes; seed 003, a call past its window.
 */
export function callTimeout({ toolMs = 600_000, modelMs = 1_800_000 }: CallTimeoutOptions = {}): Policy {
  const report = (call: string, tookMs: number) => alert({ kind: "call-timeout", signature: call, severity: "warning", evidence: { call, tookMs } });
  const ofModel = ({ model = "the model", durationMs = 0 }: { readonly model?: string; readonly durationMs?: number }) =>
    durationMs > modelMs ? report(model, durationMs) : undefined;
  return definePolicy({
    name: "call-timeout",
    version: "1",
    decide: {
      "tool.finished": (_run, _state, { tool, durationMs = 0 }) => (durationMs > toolMs ? report(tool, durationMs) : undefined),
      "model.answered": (_run, _state, event) => ofModel(event),
      "model.failed": (_run, _state, event) => ofModel(event),
      "clock.ticked": (run) => {
        for (const { tool, at, refused } of run.pending.values()) {
          if (refused === undefined && run.now - at >= toolMs) return report(tool, run.now - at);
        }
        return undefined;
      },
    },
    wakeAt: (run) => {
      let earliest: number | undefined;
      for (const { at, refused } of run.pending.values()) if (refused === undefined && at + toolMs < (earliest ?? Infinity)) earliest = at + toolMs;
      return earliest;
    },
  });
}
