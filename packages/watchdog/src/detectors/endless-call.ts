import { alert, type Policy } from "@phasekit/core";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { outputText } from "../result-text.ts";
import { shareOf } from "../share-done.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `endlessCall`. */
export interface EndlessCallOptions extends CallOptions {
  /** Equal calls in a row whose answer changes every time and never says how far it is. @default 20 */
  readonly times?: number;
}

interface EndlessCallState extends DetectorState {
  fingerprint: string;
  count: number;
  /** The share or count the answer named last, for telling whether it grows. */
  done: number;
  /** The numbers of the last answer, for the same. */
  numbers: readonly number[];
  /** Which of them have only grown or only shrunk so far, as bits. */
  up: number;
  down: number;
  tool: string;
}

const MAX_NUMBERS = 8;
const NO_NUMBERS: readonly number[] = [];
const EVERY = (1 << MAX_NUMBERS) - 1;
// A number that only grows or only shrinks is no proof of progress, but a sign: such answers count for a fifth.
const STEADY = 0.2;

/**
 * Puts an end to a call whose answer always changes but never gets anywhere.
 *
 * Fires: twenty equal calls in a row, each with another answer and no sign of how far it is.
 * Silent: "40 %" and "step 12 of 40" as long as they grow; a count that goes one way for a hundred calls; nineteen calls.
 * Seen: openclaw pull request 112447, the clock asked 62 times.
 */
export function endlessCall({ times = 20, tools }: EndlessCallOptions = {}): Policy {
  return callDetector<EndlessCallState>({
    name: "endless-call",
    tools,
    initial: () => ({ idle: true, fingerprint: "", count: 0, done: -1, numbers: NO_NUMBERS, up: EVERY, down: EVERY, tool: "" }),
    onCall: (state, call, { before, event }) => {
      if (call.waits) return;
      if (state.idle || before?.fingerprint !== call.fingerprint) {
        state.fingerprint = call.fingerprint;
        state.count = 1;
        state.done = -1;
        state.tool = call.tool;
        state.numbers = NO_NUMBERS;
        state.up = state.down = EVERY;
      }
      state.idle = before?.fingerprint !== call.fingerprint;
      if (call.moved !== true || state.idle) return;
      const text = outputText(event.output);
      const tail = text.length <= 400 ? text : text.slice(-400);
      const numbers = (tail.match(/\d+(?:\.\d+)?/g) ?? []).slice(0, MAX_NUMBERS).map(Number);
      state.count += goesOneWay(state, numbers) ? STEADY : 1;
      state.numbers = numbers;
      const done = shareOf(tail);
      if (done === undefined) return;
      if (done > state.done) state.count = 1;
      state.done = done;
    },
    report: ({ fingerprint, count, tool }) =>
      Math.floor(count) >= times
        ? alert({ kind: "endless-call", signature: fingerprint, count: Math.floor(count), severity: count < times * 3 ? "notice" : "warning", evidence: { tool } })
        : undefined,
  });
}

/** Whether some number of the answer has gone one way since the first answer; a changed shape starts anew. */
function goesOneWay(state: EndlessCallState, after: readonly number[]): boolean {
  const { numbers: before } = state;
  if (before.length !== after.length) {
    state.up = state.down = EVERY;
    return false;
  }
  for (const [index, value] of after.entries()) {
    const last = before[index] ?? value;
    if (value <= last) state.up &= ~(1 << index);
    if (value >= last) state.down &= ~(1 << index);
  }
  return ((state.up | state.down) & ((1 << after.length) - 1)) !== 0;
}
