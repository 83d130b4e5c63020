import { hashText } from "../text/hash.ts";
import { renderNudges } from "../run/agent-texts.ts";
import type { RunPort } from "../run/run.ts";

const MAX_ANCHORS = 64;

interface Anchor {
  /** The place in the list, and the message before it. */
  readonly index: number;
  readonly before: string;
  readonly text: string;
}

interface PlaceOptions<TMessage> {
  readonly text: string | undefined;
  readonly make: (text: string) => TMessage;
  readonly read: (message: TMessage) => string | undefined;
  /** True if an answer of the model begins with this message. Without it a resumed run does not find its old places. */
  readonly isAnswer?: (message: TMessage, before: TMessage | undefined) => boolean;
}

/** Keeps what Phasekit said to the agent where it said it, in every later request. */
export interface NudgeAnchors {
  /**
   * The messages with everything said before at its old place, and `text` at the end. Messages that have it already are
   * left as they are, so hosts that keep what they were given and hosts that forget it come out the same. A run that
   * was read back from its log finds its places again: a nudge was right before the answer to its turn.
   */
  readonly place: <TMessage>(messages: readonly TMessage[], options: PlaceOptions<TMessage>) => TMessage[];
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
  let recalled = false;
  const made: NudgeAnchors = {
    place: (messages, options) => {
      const { text, make, read } = options;
      if (!recalled) anchors.push(...recallAnchors(run, messages, options));
      recalled = true;
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

/** The places of what was said before this process began, as far as the list still has the answers to count by. */
function recallAnchors<TMessage>(
  { view }: RunPort,
  messages: readonly TMessage[],
  { make, read, isAnswer }: PlaceOptions<TMessage>,
): readonly Anchor[] {
  const sent = view.nudges.filter(({ applied, turn }) => applied && turn < view.turn);
  if (sent.length === 0 || isAnswer === undefined) return [];
  const answers = messages.flatMap((message, index) => (isAnswer(message, messages[index - 1]) ? [index] : []));
  const older = answers.length - (view.turn - 1);
  // The last turn may have been cut off before its answer; a list that lacks more was shortened.
  if (older < -1) return [];
  const anchors: Anchor[] = [];
  const placed = [...messages];
  for (const turn of new Set(sent.map((nudge) => nudge.turn))) {
    const text = renderNudges(sent.filter((nudge) => nudge.turn === turn).map((nudge) => nudge.text)) ?? "";
    const index = (answers[turn - 1 + Math.max(0, older)] ?? messages.length) + anchors.length;
    const there = placed[index - 1];
    if (there !== undefined && read(there) === text) continue;
    anchors.push({ index, before: keyAt(placed, index), text });
    placed.splice(index, 0, make(text));
  }
  return anchors;
}

/** The message before a place, as a short text. */
function keyAt(messages: readonly unknown[], index: number): string {
  const message = messages[index - 1];
  return message === undefined ? "" : hashText(JSON.stringify(message));
}
