import type { EventOf } from "@phasekit/core";
import { setBounded } from "../bounded.ts";
import { aboutCall, resultText } from "../call-result.ts";
import type { StallEntry, StallState } from "./stall-state.ts";

/** The costs of calls and what pays them off. The unit is one call that says nothing new; docs/lab/stall-model.md. */
export const COSTS = {
  /** A repeated call costs this on top: the same question, the same answer, and no change in between. */
  repeat: 1.5,
  /** The share of its cost that a call pays when it is part of trying: a failed attempt, a check after a change. */
  attempt: 0.5,
  /** The share of its cost that a call pays while the agent waits for something. */
  wait: 0.6,
  /** The share of its cost that a call pays while the user expects repetition. */
  expected: 0.1,
  /** New work takes this off the level: an edit, a script, a better test result. */
  credit: 1.5,
  /** An answer takes this off the level if all of it is new. */
  recover: 0.25,
  /** The share of the level that stays after each call. */
  keep: 0.97,
} as const;

const MAX_ASKED = 512;
const MAX_RECENT = 12;
const MAX_ANSWER = 160;
/** Empty answers of one tool in a row that may mean success. */
const MAX_SILENCE = 8;
/** An answer of which a third is new is worth its call. */
const ENOUGH = 1 / 3;
/** Checks that failed as before after a change. From this number on the next change has to show something first. */
const MAX_UNMOVED = 2;
/** Below this gain an answer that reports a failure is an old one. */
const OLD_NEWS = 0.2;

/**
 * Folds a finished call into the level: adds what it costs, takes off what it pays. Without a reader the gain is
 * unknown, not zero.
 */
export function foldCall(state: StallState, event: EventOf<"tool.finished">): void {
  if (event.meaning.gain === undefined) return;
  const call = readCall(state, event);
  const { gain, isWork, entry, testsBetter } = call;
  countUnmoved(state, call);
  const earns = testsBetter || (isWork && state.unmoved < MAX_UNMOVED);
  const pays = COSTS.recover * gain + (earns ? COSTS.credit : 0);
  const paid = Math.max(0, COSTS.keep * state.level - pays);
  // Repetition the user asked for costs little.
  const share = state.expected ? COSTS.expected : 1;
  state.level = paid + share * costOf(call);
  state.repeating = gain < ENOUGH && !call.isTwin && !entry.waiting && state.recent.at(-1)?.about === entry.about;
  if (isWork || call.isAction) state.changes += 1;
  if (isWork || testsBetter) state.workedIn = entry.turn;
  setBounded(state.asked, [entry.about, { changes: state.changes, turn: entry.turn }], MAX_ASKED);
  state.recent.push(entry);
  if (state.recent.length > MAX_RECENT) state.recent.shift();
}

/** A call and its answer, as far as the level is concerned. */
interface StallCall {
  readonly entry: StallEntry;
  readonly gain: number;
  readonly isNew: boolean;
  /** It brought something new, and that landed. */
  readonly isWork: boolean;
  /** It did something, and the answer tells what came of it. */
  readonly isAction: boolean;
  /** It tried to bring something new. */
  readonly isAttempt: boolean;
  /** Something was changed since the question was asked last. */
  readonly isRecheck: boolean;
  /** An equal call of the same turn: neither knew the answer to the other. */
  readonly isTwin: boolean;
  /** One wait between other calls. */
  readonly isPause: boolean;
  /** The answer is more than a word or a line. */
  readonly showsContent: boolean;
  /** The question got an answer it had got before. */
  readonly sameAnswer: boolean;
  readonly testsBetter: boolean;
}

function readCall(state: StallState, event: EventOf<"tool.finished">): StallCall {
  const { tool, meaning, outcome, turn = 0 } = event;
  const { effect = "act", answer, gain = 0, moved } = meaning;
  const about = aboutCall(event);
  countSilence(state, tool, answer === "nothing");
  const before = state.asked.get(about);
  const failed =
    outcome !== "ok" ||
    (answer === "failure" && gain < OLD_NEWS) ||
    (state.silence.count > MAX_SILENCE && effect !== "check");
  const sameAnswer = moved === false;
  const isRecheck = before !== undefined && state.changes > before.changes;
  const isTwin = before?.turn === turn;
  const isAttempt = effect === "change";
  // An action that is accepted and not done yet, such as a queued mail, is not a question.
  const isPending = answer === "pending" && (before !== undefined || effect !== "act");
  // A question that comes again after a wait is a poll.
  const afterWait = state.recent.at(-1)?.effect === "wait" || meaning.parts?.includes("wait") === true;
  // The same edit with another answer, after another call, lands in another place.
  const elsewhere = meaning.activity === "edit" && !sameAnswer && state.recent.at(-1)?.about !== about;
  const isWork = isAttempt && !failed && (before === undefined || elsewhere);
  return {
    gain,
    isNew: before === undefined,
    isWork,
    isAction: (effect === "act" || isAttempt) && !failed && !sameAnswer && gain >= ENOUGH,
    isAttempt,
    isRecheck,
    isTwin,
    isPause: effect === "wait" && state.recent.at(-1)?.effect !== "wait",
    showsContent: effect === "act" && answer === "content",
    sameAnswer,
    testsBetter: improveTests(state, meaning.tests),
    entry: {
      about,
      tool,
      effect,
      failed,
      // After a message of the user nothing is known about what changed since an older question.
      repeated: sameAnswer && before !== undefined && !isRecheck && !isTwin,
      waiting: effect === "wait" || isPending || (before !== undefined && afterWait),
      gain,
      turn,
      answer: resultText(event).slice(0, MAX_ANSWER),
    },
  };
}

function costOf(call: StallCall): number {
  const { entry, gain, isNew, isWork, isAttempt, isRecheck, isTwin, sameAnswer } = call;
  const { failed, repeated, waiting, effect } = entry;
  const untold = Math.max(0, 1 - gain / ENOUGH);
  if (isWork || isTwin || call.isPause) return 0;
  if (waiting) return COSTS.wait * untold;
  if (repeated) return 1 + COSTS.repeat;
  if (isNew) {
    if (failed) return (isAttempt ? COSTS.attempt : 1) * untold;
    if (effect === "look") return untold;
    // An action that works may answer with a word. One that shows what it did, and shows nothing new, did little.
    return call.showsContent ? COSTS.attempt * untold : 0;
  }
  if (!isRecheck) return untold;
  // Checking again after a change is right. The same failure shows that the change made no difference.
  if (!sameAnswer) return 0;
  return failed ? untold : COSTS.attempt * untold;
}

function countSilence(state: StallState, tool: string, silent: boolean): void {
  const count = silent && state.silence.tool === tool ? state.silence.count + 1 : Number(silent);
  state.silence = { tool: silent ? tool : "", count };
}

/** Counts checks in a row that fail as they did before a change. Another answer to any known question ends the row. */
function countUnmoved(state: StallState, { entry, isNew, isRecheck, sameAnswer }: StallCall): void {
  if (isRecheck && sameAnswer && entry.failed) state.unmoved += 1;
  else if (!isNew && !sameAnswer) state.unmoved = 0;
}

/** Notes a test result. True if fewer tests fail than ever before in this run. */
function improveTests(state: StallState, tests: EventOf<"tool.finished">["meaning"]["tests"]): boolean {
  const failing = tests?.failed ?? (tests?.verdict === "pass" ? 0 : undefined);
  if (failing === undefined) return false;
  const better = state.failing !== undefined && failing < state.failing;
  state.failing = Math.min(state.failing ?? failing, failing);
  return better;
}
