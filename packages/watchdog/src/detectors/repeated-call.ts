import { alert, type Policy } from "@phasekit/core";
import { firstWords } from "../call.ts";
import { callDetector } from "../call-detector.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `repeatedCall`. */
export interface RepeatedCallOptions extends CallOptions {
  /** Equal calls in a row with an unchanged result. @default 3 */
  readonly times?: number;
}

interface RepeatedCallState {
  fingerprint: string;
  count: number;
  turn: number;
  tool: string;
  result: string;
}

/**
 * Notices the same call giving the same result again and again.
 *
 * Fires: `ls` three times in a row with the same listing, whatever was said in between.
 * Silent: the same call while its result moves (paging, a growing log), the same call twice in one turn, polling.
 * Seen: openhands-llm-request/Qwen2.5-Coder-7B-Instruct__sympy__sympy-15017, calls 6–11: one search, six times.
 */
export function repeatedCall({ times = 3, tools }: RepeatedCallOptions = {}): Policy<RepeatedCallState> {
  return callDetector<RepeatedCallState>({
    name: "repeated-call",
    tools,
    initial: () => ({ fingerprint: "", count: 0, turn: -1, tool: "", result: "" }),
    onCall: (state, call, event) => {
      if (call.waits) return;
      const same = call.fingerprint === state.fingerprint;
      if (same && call.turn === state.turn) return;
      state.turn = call.turn;
      if (call.failed || call.polls) {
        state.fingerprint = "";
        state.count = 0;
        return;
      }
      state.count = same && call.moved === false ? state.count + 1 : 1;
      state.fingerprint = call.fingerprint;
      if (state.count < times) return;
      state.tool = call.tool;
      state.result = firstWords(event);
    },
    report: ({ fingerprint, count, tool, result }) =>
      count >= times
        ? alert({ kind: "repeated-call", signature: fingerprint, subject: fingerprint, count, evidence: { tool, result } })
        : undefined,
  });
}
