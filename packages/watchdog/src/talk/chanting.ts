import { alert, type Alert, definePolicy, type Policy, type TextFinding, type TextWatcher } from "@phasekit/core";
import { createChantWatcher } from "./chant-watcher.ts";

/** Options for `chanting()`. All optional. */
export interface ChantingOptions {
  /** Cut the stream, in mode `gate`. @default true */
  readonly stop?: boolean;
}

interface ChantingState {
  count: number;
  sample: string;
  /** Messages in a row without a call, as one text: some hosts record every piece of a stream as a message. */
  joined: string;
  pieces: number;
  calls: number;
}

const LONG = 400;
const MAX_JOINED = 4000;
const PIECES = 8;

/**
 * Reports text that repeats itself while it is streamed: a sentence, or a train of sentences, over and over. Code,
 * lists, tables and headings may repeat.
 */
export function chanting({ stop = true }: ChantingOptions = {}): Policy {
  /** Notes what the stream was found to repeat; a text that was not streamed is read now. */
  function note(
    state: ChantingState,
    found: readonly (TextFinding & { readonly policy: string })[] | undefined,
    text: string | undefined,
  ): void {
    const own =
      found?.find(({ policy }) => policy === "chanting") ??
      (text === undefined ? undefined : createChantWatcher({ stop }).push(text));
    state.count = own?.count ?? 0;
    state.sample = own?.signature ?? "";
  }
  return definePolicy<ChantingState>({
    name: "chanting",
    version: "2",
    alerts: "complete",
    initial: () => ({ count: 0, sample: "", joined: "", pieces: 0, calls: 0 }),
    watchText: (): TextWatcher => createChantWatcher({ stop }),
    observe: {
      "model.reasoned": (state, { found, excerpt = "" }) => {
        note(state, found, excerpt.length >= LONG ? excerpt : undefined);
      },
      "message.sent": (state, { found, excerpt = "" }, { toolCalls }) => {
        join(state, excerpt, toolCalls);
        // A message that was not streamed is read now, as far as it was kept.
        note(state, found, excerpt.length >= LONG ? excerpt : isDue(state) ? state.joined : undefined);
      },
    },
    decide: {
      // A call ends the talk.
      "tool.finished": () => undefined,
      "model.reasoned": report,
      "message.sent": report,
    },
  });
}

function report(_run: unknown, { count, sample }: Readonly<ChantingState>): Alert | undefined {
  return count > 0 ? alert({ kind: "chanting", count, evidence: { text: sample } }) : undefined;
}

function join(state: ChantingState, text: string, calls: number): void {
  const continues = calls === state.calls;
  state.joined = continues ? (state.joined + text).slice(-MAX_JOINED) : text;
  state.pieces = continues ? state.pieces + 1 : 1;
  state.calls = calls;
}

/** The pieces are read now and then: a chant does not go away. */
function isDue({ pieces }: ChantingState): boolean {
  return pieces >= PIECES && pieces % (PIECES / 2) === 0;
}
