import { alert, definePolicy, type Policy } from "@phasekit/core";

/** Options of `callTimeout`. */
export interface CallTimeoutOptions {
  /** The longest a tool call may take. @default 600000 */
  readonly toolMs?: number;
  /** The longest a model call may take. @default 1800000 */
  readonly modelMs?: number;
}

interface CallTimeoutState {
  slow: string;
  tookMs: number;
}

/**
 * Notices one call that takes longer than its limit: while it is pending, by the clock, and when it comes back.
 *
 * Fires: a tool call of more than ten minutes, a model call of more than thirty. Silent: at the limit; time set aside.
 * Seen: seed 003, a conversation past its window; SWE-agent's three timeouts.
 */
export function callTimeout({ toolMs = 600_000, modelMs = 1_800_000 }: CallTimeoutOptions = {}): Policy<CallTimeoutState> {
  const report = ({ slow, tookMs }: Readonly<CallTimeoutState>) =>
    slow === "" ? undefined : alert({ kind: "call-timeout", signature: slow, severity: "warning", evidence: { call: slow, tookMs } });
  const see = (state: CallTimeoutState, { name, tookMs, limit }: { readonly name: string; readonly tookMs: number; readonly limit: number }): void => {
    state.slow = tookMs > limit ? name : "";
    state.tookMs = tookMs;
  };
  return definePolicy<CallTimeoutState>({
    name: "call-timeout",
    version: "1",
    initial: () => ({ slow: "", tookMs: 0 }),
    observe: {
      "tool.finished": (state, { tool, durationMs = 0 }) => { see(state, { name: tool, tookMs: durationMs, limit: toolMs }); },
      "model.answered": (state, { model = "the model", durationMs = 0 }) => { see(state, { name: model, tookMs: durationMs, limit: modelMs }); },
      "model.failed": (state, { model = "the model", durationMs = 0 }) => { see(state, { name: model, tookMs: durationMs, limit: modelMs }); },
    },
    decide: {
      "tool.finished": (_run, state) => report(state),
      "model.answered": (_run, state) => report(state),
      "model.failed": (_run, state) => report(state),
      "clock.ticked": (run) => {
        for (const { tool, at, refused } of run.pending.values()) {
          if (refused === undefined && run.now - at >= toolMs) return alert({ kind: "call-timeout", signature: tool, severity: "warning", evidence: { call: tool, tookMs: run.now - at } });
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
