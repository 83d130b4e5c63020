import { alert, type Policy } from "@phasekit/core";
import { type Call, firstWords } from "../call.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `interleavedRepeat`. */
export interface InterleavedRepeatOptions extends CallOptions {
  /** Equal calls with an unchanged result within the window. @default 3 */
  readonly times?: number;
  /** Calls looked at. @default 20 */
  readonly window?: number;
}

interface InterleavedRepeatState extends DetectorState {
  /** The number of the call that changed something last: what was before does not count. */
  since: number;
  count: number;
  fingerprint: string;
  tool: string;
  result: string;
}

/**
 * Notices one call coming back between other calls with nothing new.
 *
 * Fires: the same red test between looks at different files.
 * Silent: a change landed in between, the context was compacted, some repeated call in the window does move (that is
 * polling with other things between), waiting.
 * Seen: openhands-llm-request/o1_high_fc__pylint-dev__pylint-6386, call 20; deer-flow issue 1987.
 */
export function interleavedRepeat({ times = 3, window = 20, tools }: InterleavedRepeatOptions = {}): Policy {
  return callDetector<InterleavedRepeatState>({
    name: "interleaved-repeat",
    tools,
    initial: () => ({ idle: true, since: 0, count: 0, fingerprint: "", tool: "", result: "" }),
    onCall: (state, call, { event, number, recent }) => {
      state.count = 0;
      state.idle = true;
      if (call.waits || call.polls) return;
      if (call.landed || call.compacts) {
        state.since = number - 1;
        if (call.moved !== false) {
          state.since = number;
          return;
        }
      }
      if (call.moved !== false) return;
      const { count, between } = countRepeats(recent.slice(-Math.min(window, number - state.since)), call.fingerprint);
      if (count < times || !between) return;
      state.idle = false;
      state.count = count;
      state.fingerprint = call.fingerprint;
      state.tool = call.tool;
      state.result = firstWords(event);
    },
    report: ({ count, fingerprint, tool, result }) =>
      count > 0
        ? alert({ kind: "interleaved-repeat", signature: fingerprint, subject: fingerprint, count, evidence: { tool, result } })
        : undefined,
  });
}

/** Occurrences in different turns while nothing moved, and whether other calls came between them. */
function countRepeats(steps: readonly Call[], fingerprint: string): { readonly count: number; readonly between: boolean } {
  let count = 0;
  let turn = -1;
  let between = false;
  let others = false;
  for (const step of steps) {
    if (step.polls) continue;
    if (step.moved === true) return { count: 0, between: false };
    if (step.fingerprint !== fingerprint) {
      others = count > 0;
    } else if (step.turn !== turn) {
      between ||= others;
      count += 1;
      turn = step.turn;
    }
  }
  return { count, between };
}
