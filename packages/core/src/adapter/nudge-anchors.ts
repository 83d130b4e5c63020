import { hashText } from "../hash.ts";
import type { RunPort } from "../run.ts";

const MAX_ANCHORS = 64;

interface Anchor {
  /** The place in the list, and what stood before it. */
  readonly index: number;
  readonly before: string;
  readonly text: string;
}

/** Keeps what Phasekit said to the agent where it said it, in every later request. */
export interface NudgeAnchors {
  /**
   * The messages with everything said before at its old place, and `text` at the end. Messages that have it already are
   * left as they are, so hosts that keep what they were given and hosts that forget it come out the same.
   */
  readonly place: <TMessage>(messages: readonly TMessage[], options: {
    readonly text: string | undefined;
    readonly make: (text: string) => TMessage;
    readonly read: (message: TMessage) => string | undefined;
  }) => TMessage[];
}

const anchorsByRun = new WeakMap<RunPort, NudgeAnchors>();

/**
 * The anchors of a run. A request that extends the one before it keeps its prefix, and with it the provider's cache;
 * a list the host has shortened or rewritten loses the anchors that no longer fit.
 */
export function createNudgeAnchors(run: RunPort): NudgeAnchors {
  const known = anchorsByRun.get(run);
  if (known !== undefined) return known;
  const anchors: Anchor[] = [];
  const made: NudgeAnchors = {
    place: (messages, { text, make, read }) => {
      const placed = [...messages];
      for (const anchor of anchors) {
        if (anchor.index > placed.length || keyAt(placed, anchor.index) !== anchor.before) continue;
        const there = placed[anchor.index];
        if (there === undefined || read(there) !== anchor.text) placed.splice(anchor.index, 0, make(anchor.text));
      }
      const last = placed.at(-1);
      if (text === undefined || (last !== undefined && read(last) === text)) return placed;
      anchors.push({ index: placed.length, before: keyAt(placed, placed.length), text });
      if (anchors.length > MAX_ANCHORS) anchors.shift();
      placed.push(make(text));
      return placed;
    },
  };
  anchorsByRun.set(run, made);
  return made;
}

/** What stands before a place, as a short text. */
function keyAt(messages: readonly unknown[], index: number): string {
  const message = messages[index - 1];
  return message === undefined ? "" : hashText(JSON.stringify(message));
}
