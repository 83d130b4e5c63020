import { alert, definePolicy, type Policy, type TextWatcher } from "@phasekit/core";
import { createChantWatcher } from "../chant-watcher.ts";

/** Options of `chanting`. */
export interface ChantingOptions {
  /** Times a passage of 48 characters comes back at constant short distance. @default 9 */
  readonly times?: number;
  /** The longest mean distance between two of them, in characters. @default 250 */
  readonly distance?: number;
  /** Ask to cut the stream; only mode `gate` does. @default true */
  readonly stop?: boolean;
}

const LONG = 400;

interface ChantingState {
  count: number;
  sample: string;
}

/**
 * Notices text that repeats itself while it is streamed.
 *
 * Fires: one sentence, or a train of three, over and over; a token repeated without end.
 * Silent: code, lists, tables, headings, rules, and refrains further apart.
 * Seen: gemini-cli issues 12737 and 13322.
 */
export function chanting({ times = 9, distance = 250, stop = true }: ChantingOptions = {}): Policy<ChantingState> {
  return definePolicy<ChantingState>({
    name: "chanting",
    version: "2",
    saysAll: true,
    initial: () => ({ count: 0, sample: "" }),
    watchText: (): TextWatcher => createChantWatcher({ times, distance, stop }),
    observe: {
      "message.sent": (state, { found, excerpt = "" }) => {
        // A message that was not streamed is looked at now, as far as it was kept.
        const own = found?.find(({ policy }) => policy === "chanting") ?? (excerpt.length < LONG ? undefined : createChantWatcher({ times, distance, stop }).push(excerpt));
        state.count = own?.count ?? 0;
        state.sample = own?.signature ?? "";
      },
    },
    decide: {
      // Who does something has stopped talking.
      "tool.finished": () => undefined,
      "message.sent": (_run, { count, sample }) =>
        count > 0 ? alert({ kind: "chanting", signature: "", count, evidence: { text: sample } }) : undefined,
    },
  });
}
