import { alert, definePolicy, type Policy, type TextFinding, type TextWatcher } from "@phasekit/core";
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
  /** Messages in a row without a call, as one text: some hosts tell every piece of a stream as a message. */
  joined: string;
  pieces: number;
  calls: number;
}

/**
 * Notices text that repeats itself while it is streamed.
 *
 * Fires: one sentence, or a train of three, over and over; a token repeated without end.
 * Silent: code, lists, tables, headings, rules, and refrains further apart.
 * Seen: gemini-cli issues 12737 and 13322.
 */
export function chanting({ times = 9, distance = 250, stop = true }: ChantingOptions = {}): Policy<ChantingState> {
  const listen = (text: string): TextFinding | undefined => createChantWatcher({ times, distance, stop }).push(text);
  return definePolicy<ChantingState>({
    name: "chanting",
    version: "2",
    saysAll: true,
    initial: () => ({ count: 0, sample: "", joined: "", pieces: 0, calls: 0 }),
    watchText: (): TextWatcher => createChantWatcher({ times, distance, stop }),
    observe: {
      "message.sent": (state, { found, excerpt = "" }, { toolCalls }) => {
        join(state, excerpt, toolCalls);
        // A message that was not streamed is looked at now, as far as it was kept.
        const own = found?.find(({ policy }) => policy === "chanting") ?? (excerpt.length >= LONG ? listen(excerpt) : isDue(state) ? listen(state.joined) : undefined);
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

const MAX_JOINED = 4000;
const PIECES = 8;

function join(state: ChantingState, text: string, calls: number): void {
  const goesOn = calls === state.calls;
  state.joined = goesOn ? (state.joined + text).slice(-MAX_JOINED) : text;
  state.pieces = goesOn ? state.pieces + 1 : 1;
  state.calls = calls;
}

/** The pieces are listened to now and then: a chant does not go away. */
function isDue({ pieces }: ChantingState): boolean {
  return pieces >= PIECES && pieces % (PIECES / 2) === 0;
}
