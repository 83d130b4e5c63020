import { alert, type Policy } from "@phasekit/core";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { firstWords } from "../result-text.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `repeatedCall`. */
export interface RepeatedCallOptions extends CallOptions {
  /** Equal calls in a row with an unchanged result. @default 3 */
  readonly times?: number;
  /** The same of tests, builds and linters that took another time: they are run again to see whether they hold. @default 5 */
  readonly checks?: number;
}

interface RepeatedCallState extends DetectorState {
  fingerprint: string;
  count: number;
  /** Compactions with only a few calls between them, and the number of the last one. */
  compactions: number;
  compactedAt: number;
  /** How many times are one too many. */
  limit: number;
  tool: string;
  result: string;
}

const SOON = 4;

/**
 * Notices the same call giving the same result again and again.
 *
 * Fires: `ls` three times in a row with the same listing, whatever was said in between.
 * Silent: the same call while its result moves (paging, a growing log), the same call twice in one turn, polling, also by
 * a call of another name that is told to come back later or made after a wait.
 * Seen: openhands-llm-request/Qwen2.5-Coder-7B-Instruct__sympy__sympy-15017, calls 6–11: one search, six times.
 */
export function repeatedCall({ times = 3, checks = 5, tools }: RepeatedCallOptions = {}): Policy {
  return callDetector<RepeatedCallState>({
    name: "repeated-call",
    tools,
    initial: () => ({ idle: true, fingerprint: "", count: 0, compactions: 0, compactedAt: -SOON, limit: times, tool: "", result: "" }),
    onCall: (state, call, { before, waited, event, answer, number, asked }) => {
      if (call.waits) return;
      if (call.landed && !call.compacts) state.compactions = 0;
      if (call.compacts) {
        // What fills the memory again at once was not worth keeping.
        state.compactions = number - state.compactedAt <= SOON ? state.compactions + 1 : 1;
        state.compactedAt = number;
      }
      const same = before?.fingerprint === call.fingerprint;
      if (same && before.turn === call.turn) return;
      // What a compaction removed differs each time; that it had to be done again at once is the news.
      const again = same && !call.failed && !call.underWay && !waited && !call.spaced && (call.moved === false || call.compacts);
      state.count = Math.max(again ? Math.max(1, state.count) + 1 : 1, call.compacts ? state.compactions - 1 : 0);
      state.idle = state.count < 2;
      state.limit = Math.max(asked.again, call.checks && event.output !== answer ? checks : times);
      if (state.count < state.limit) return;
      state.fingerprint = call.fingerprint;
      state.tool = call.tool;
      state.result = firstWords(event);
    },
    report: ({ fingerprint, count, limit, tool, result }) =>
      count >= limit
        ? alert({ kind: "repeated-call", signature: fingerprint, subject: fingerprint, count, evidence: { tool, result } })
        : undefined,
  });
}
