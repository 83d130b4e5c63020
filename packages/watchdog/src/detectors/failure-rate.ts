import { alert, type Policy } from "@phasekit/core";
import { callDetector, type DetectorState } from "../call-detector.ts";
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

interface FailureRateState extends DetectorState {
  /** The number of the call that emptied the window last, of the newest one, and of those that failed. */
  since: number;
  now: number;
  readonly failed: number[];
}

/**
 * Notices that most of what the agent tries fails.
 *
 * Fires: six of the last ten calls failed, whatever they were.
 * Silent: half of them, too few calls, red tests, everything before the last change that landed.
 * Seen: openhands-llm-request/Qwen2.5-Coder-7B-Instruct__django__django-16485, calls 13–26; the incident of seed 004.
 */
export function failureRate({ window = 10, above = 0.5, least = 8, tools }: FailureRateOptions = {}): Policy {
  return callDetector<FailureRateState>({
    name: "failure-rate",
    tools,
    initial: () => ({ idle: true, since: 0, now: 0, failed: [] }),
    onCall: (state, call, { number, asked }) => {
      // Who waits between tries, or was told how often to try, is retrying on purpose.
      if (call.landed || call.waits || asked.failing > 0) {
        state.since = number;
        state.failed.length = 0;
      } else if (call.failed && !call.checks && !(call.polls && call.moved === true)) state.failed.push(number);
      if ((state.failed[0] ?? Infinity) <= number - window) state.failed.shift();
      state.now = number;
      state.idle = state.failed.length === 0;
    },
    report: ({ since, now, failed: { length: failed } }) => {
      const calls = Math.min(now - since, window);
      // Measured against the whole window: five of nine is no more than five of ten.
      if (calls < least || failed <= window * above) return undefined;
      return alert({ kind: "failure-rate", signature: "", count: failed, severity: "notice", evidence: { failed, calls } });
    },
  });
}
