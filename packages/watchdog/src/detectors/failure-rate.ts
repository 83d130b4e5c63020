import { alert, type Policy } from "@phasekit/core";
import { pushBounded } from "../bounded.ts";
import { callDetector } from "../call-detector.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `failureRate`. */
export interface FailureRateOptions extends CallOptions {
  /** Calls looked at. @default 10 */
  readonly window?: number;
  /** Share of failures above which it fires. @default 0.5 */
  readonly above?: number;
  /** Calls it needs to say anything. @default 8 */
  readonly least?: number;
}

interface FailureRateState {
  recent: boolean[];
  failed: number;
}

/**
 * Notices that most of what the agent tries fails.
 *
 * Fires: six of the last ten calls failed, whatever they were.
 * Silent: half of them, too few calls, red tests, everything before the last change that landed.
 * Seen: openhands-llm-request/Qwen2.5-Coder-7B-Instruct__django__django-16485, calls 13–26; the incident of seed 004.
 */
export function failureRate({ window = 10, above = 0.5, least = 8, tools }: FailureRateOptions = {}): Policy<FailureRateState> {
  return callDetector<FailureRateState>({
    name: "failure-rate",
    tools,
    initial: () => ({ recent: [], failed: 0 }),
    onCall: (state, call) => {
      // Who waits between tries is retrying on purpose.
      if (call.landed || call.waits) {
        state.recent.length = 0;
        state.failed = 0;
        return;
      }
      if (call.failed && call.checks) return;
      if (state.recent.length === window && state.recent[0] === true) state.failed -= 1;
      if (call.failed) state.failed += 1;
      pushBounded(state.recent, call.failed, window);
    },
    report: ({ recent, failed }) => {
      if (recent.length < least || failed <= recent.length * above) return undefined;
      return alert({ kind: "failure-rate", signature: "", count: failed, severity: "notice", evidence: { failed, calls: recent.length } });
    },
  });
}
