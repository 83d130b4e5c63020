import { alert, type Policy } from "@phasekit/core";
import { outputText } from "../call.ts";
import { callDetector } from "../call-detector.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `endlessCall`. */
export interface EndlessCallOptions extends CallOptions {
  /** Equal calls in a row whose answer changes every time and never says how far it is. @default 20 */
  readonly times?: number;
}

interface EndlessCallState {
  fingerprint: string;
  count: number;
  /** The share or count the answer named last, for telling whether it grows. */
  done: number;
  /** The numbers of the last answer, for the same. */
  numbers: readonly number[];
  tool: string;
}

const SHARE = /(\d+(?:\.\d+)?) ?%|(\d+) ?(?:\/|of) ?\d+/;
const MAX_NUMBERS = 8;
// Numbers that only grow are no proof of progress, but a sign: they count for a fifth.
const STEADY = 0.2;

/**
 * Puts an end to a call whose answer always changes but never gets anywhere.
 *
 * Fires: twenty equal calls in a row, each with another answer and no sign of how far it is.
 * Silent: "40 %" and "step 12 of 40" as long as they grow; other growing numbers for a hundred calls; nineteen calls.
 * Seen: openclaw pull request 112447, the clock asked 62 times.
 */
export function endlessCall({ times = 20, tools }: EndlessCallOptions = {}): Policy<EndlessCallState> {
  return callDetector<EndlessCallState>({
    name: "endless-call",
    tools,
    initial: () => ({ fingerprint: "", count: 0, done: -1, numbers: [], tool: "" }),
    onCall: (state, call, event) => {
      if (call.waits) return;
      if (call.fingerprint !== state.fingerprint) {
        state.fingerprint = call.fingerprint;
        state.count = 1;
        state.done = -1;
        state.tool = call.tool;
        state.numbers = [];
        return;
      }
      if (call.moved !== true) return;
      const text = outputText(event.output);
      const tail = text.length <= 400 ? text : text.slice(-400);
      const numbers = (tail.match(/\d+(?:\.\d+)?/g) ?? []).slice(0, MAX_NUMBERS).map(Number);
      state.count += grows(state.numbers, numbers) ? STEADY : 1;
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

function grows(before: readonly number[], after: readonly number[]): boolean {
  return before.length === after.length && after.some((value, index) => value > (before[index] ?? 0)) && after.every((value, index) => value >= (before[index] ?? 0));
}

function shareOf(text: string): number | undefined {
  const found = SHARE.exec(text);
  return found === null ? undefined : Number(found[1] ?? found[2]);
}
