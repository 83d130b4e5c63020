import type { EventOf } from "@phasekit/core";
import { defined, pushBounded, setBounded } from "@phasekit/core/adapter";
import { notesOf, callOf } from "@phasekit/core/account";
import { resultText } from "../call-result.ts";
import type { StallEntry, StallState } from "./stall-state.ts";

// Costs of calls, and payments. The unit is one call that says nothing new; bench/notes/stall-model.md.

/** A repeated call costs this much: the same question, the same answer, and no change in between. */
export const REPEAT = 2.5;
/** The share of its cost that a call pays when it is part of trying: a failed attempt, a check after a change. */
export const ATTEMPT = 0.5;
/** The share of its cost that a call pays while the agent waits for something. */
const WAIT = 0.6;
/** The share of its cost that a call pays while the user expects repetition. */
const EXPECTED = 0.1;
/** New work takes this off the level: an edit, a script, a better test result. */
const CREDIT = 1.5;
/** An answer takes this off the level if all of it is new. */
const RECOVER = 0.25;
/** The share of the level that stays after each call. */
const KEEP = 0.97;

const MAX_ASKED = 512;
const MAX_RECENT = 12;
const MAX_ANSWER = 160;
const MAX_PLACES = 64;
/** An answer of which a third is new is worth its call. */
const ENOUGH = 1 / 3;
/** Checks that failed as before after a change. From this number on the next change has to show something first. */
const MAX_UNMOVED = 2;
/** Failures in a row that said nothing new. From this number on another attempt costs as much as any other call. */
const MAX_DEAF = 3;
/** A few words acknowledge an action; more describe what it led to, such as a page. */
const DESCRIBES = /(?:[\p{L}\p{N}]+[^\p{L}\p{N}]+){5}[\p{L}\p{N}]/u;
/** Below this gain an answer that reports a failure is an old one. */
const OLD_NEWS = 0.2;

/**
 * Folds a finished call into the level: adds what it costs, takes off what it pays. Without a reader
 * nothing is known about it. Of an answer that is missing the gain is unknown, not zero: only asking again costs.
 */
export function foldCall(state: StallState, event: EventOf<"tool.finished">): void {
  if (event.meaning.effect === undefined) return;
  const call = readCall(state, event);
  state.blind = call.isUnknown;
  const { isWork, entry, testsBetter } = call;
  const { gain } = entry;
  countUnmoved(state, call);
  const earns = testsBetter || (isWork && state.unmoved < MAX_UNMOVED);
  const pays = RECOVER * gain + (earns ? CREDIT : 0);
  const paid = Math.max(0, KEEP * state.level - pays);
  // Repetition the user asked for costs little. A series over many things does not excuse failing again at one.
  const { repeats, series } = state.expected;
  const excused = repeats || (series === true && !(entry.failed && entry.repeated));
  const cost = costOf(call, state.deaf);
  state.level = paid + (excused ? EXPECTED : 1) * cost;
  state.deaf = entry.failed && gain < ENOUGH ? state.deaf + 1 : 0;
  state.repeating = gain < ENOUGH && !call.isTwin && !entry.waiting && state.recent.at(-1)?.about === entry.about;
  notePlaces(state, event, entry);
  if (cost > 0) state.chargedIn = entry.turn;
  const isNews = gain >= ENOUGH && state.chargedIn !== entry.turn;
  state.progressed = isNews || isWork || testsBetter || turnedGreen(state.recent, entry);
  if (isWork || call.isAction) state.changes += 1;
  state.landings = entry.landings;
  if (isWork || testsBetter) state.workedIn = entry.turn;
  if (call.isStep) state.steps += 1;
  setBounded(state.asked, [entry.about, { changes: state.changes, steps: state.steps, turn: entry.turn }], MAX_ASKED);
  pushBounded(state.recent, entry, MAX_RECENT);
}

/** A call and its answer, as far as the level is concerned. */
interface StallCall {
  readonly isUnknown: boolean;
  readonly entry: StallEntry;
  readonly isNew: boolean;
  /** It brought something new, and that landed. */
  readonly isWork: boolean;
  /** It did something, and the answer tells what came of it. */
  readonly isAction: boolean;
  /** It did something for the first time, and said that it worked. */
  readonly isStep: boolean;
  /** Something was changed since the question was asked last. */
  readonly isRecheck: boolean;
  /** An equal call of the same turn: neither knew the answer to the other. */
  readonly isTwin: boolean;
  /** One wait between other calls. */
  readonly isPause: boolean;
  /** The answer is more than a word or a line. */
  readonly showsContent: boolean;
  readonly showsTheSame: boolean;
  /** The question got an answer it had got before. */
  readonly sameAnswer: boolean;
  readonly testsBetter: boolean;
}

function readCall(state: StallState, event: EventOf<"tool.finished">): StallCall {
  const { tool, meaning, outcome, turn = 0 } = event;
  const { effect = "act", answer, gain = 0, moved } = meaning;
  const about = callOf(event).about;
  const before = state.asked.get(about);
  const last = state.recent.at(-1);
  // An answer that reads as a failure and says nothing new is none, whatever the exit code.
  const failed = outcome === "denied" || callOf(event).failed || (answer === "failure" && gain < OLD_NEWS);
  const { error } = notesOf(meaning);
  const isUnknown = meaning.gain === undefined;
  const text = resultText(event).slice(0, MAX_ANSWER);
  const sameAnswer = moved === false;
  const isTwin = before?.turn === turn;
  const isChange = effect === "change";
  const acts = effect === "act" || isChange;
  // Files change when work lands. Anything else may have changed with any step, and may be looked at again.
  const isOpen = !acts && !failed && (effect === "check" || meaning.targets === undefined);
  const isRecheck = before !== undefined && (state.changes > before.changes || (isOpen && state.steps > before.steps));
  // An action that is accepted and not done yet, such as a queued mail, is not a question.
  const isPending = answer === "pending" && (before !== undefined || effect !== "act");
  // A question that comes again after a wait is a poll.
  const afterWait = last?.effect === "wait" || meaning.parts?.includes("wait") === true;
  // The same edit with another answer, after another call, lands in another place.
  const elsewhere = meaning.activity === "edit" && !sameAnswer && last?.about !== about;
  const isAction = acts && !failed && !sameAnswer && gain >= ENOUGH;
  const isWork = isChange && !failed && (before === undefined || elsewhere);
  const landed = isWork || isAction || callOf(event).landed;
  return {
    isUnknown,
    isNew: before === undefined,
    isWork,
    isAction,
    isStep: acts && !failed && answer !== "nothing" && before === undefined,
    isRecheck,
    isTwin,
    isPause: effect === "wait" && last?.effect !== "wait",
    showsContent: effect === "act" && answer === "content",
    showsTheSame: last?.answer === text && DESCRIBES.test(text),
    sameAnswer,
    testsBetter: improveTests(state, meaning.tests),
    entry: {
      about,
      tool,
      effect,
      edits: meaning.activity === "edit",
      failed,
      // After a message of the user nothing is known about what changed since an older question.
      // An agent that got an answer does not ask for it twice in a row.
      repeated: (sameAnswer || (isUnknown && last?.about === about)) && before !== undefined && !isRecheck && !isTwin,
      waiting: effect === "wait" || isPending || (before !== undefined && afterWait),
      gain,
      turn,
      answer: text,
      landings: state.landings + Number(landed),
      ...defined({ error }),
    },
  };
}

function costOf(call: StallCall, deaf: number): number {
  const { entry, isNew, isWork, isRecheck, isTwin, sameAnswer } = call;
  const { failed, gain, repeated, waiting, effect } = entry;
  const untold = call.isUnknown && (isNew || isRecheck) ? 0 : Math.max(0, 1 - gain / ENOUGH);
  if (isWork || isTwin || call.isPause) return 0;
  if (waiting) return WAIT * untold;
  if (repeated) return REPEAT;
  if (isNew) {
    if (failed) return (effect === "change" && deaf < MAX_DEAF ? ATTEMPT : 1) * untold;
    if (effect === "look") return untold;
    // An action that works may answer with a word. One that shows what it did, and shows nothing new, did little; one
    // that leaves everything as the action before showed it, did nothing.
    return call.showsContent ? (call.showsTheSame ? 1 : ATTEMPT) * untold : 0;
  }
  if (!isRecheck) return untold;
  // Checking again after a change is right. The same failure shows that the change made no difference.
  if (!sameAnswer) return 0;
  return failed ? untold : ATTEMPT * untold;
}

/** Counts checks in a row that fail as they did before a change. Another answer to any known question ends the row. */
function countUnmoved(state: StallState, { entry, isNew, isRecheck, sameAnswer }: StallCall): void {
  if (isRecheck && sameAnswer && entry.failed) state.unmoved += 1;
  else if (!isNew && !sameAnswer) state.unmoved = 0;
}

/** Notes the files a call touches, and a check that is red before the first change. */
function notePlaces(state: StallState, event: EventOf<"tool.finished">, { effect, failed, about }: StallEntry): void {
  for (const path of callOf(event).reads) if (!failed) setBounded(state.known, [path, true], MAX_PLACES);
  for (const { path } of callOf(event).changes) {
    setBounded(state.edited, [path, true], MAX_PLACES);
    setBounded(state.known, [path, true], MAX_PLACES);
  }
  if (failed && effect === "check" && state.edited.size === 0) setBounded(state.redBefore, [about, true], MAX_PLACES);
}

/** True if a check passes that failed when it was made last. */
function turnedGreen(recent: readonly StallEntry[], { about, effect, failed }: StallEntry): boolean {
  return !failed && effect !== "look" && recent.findLast((entry) => entry.about === about)?.failed === true;
}

/** Notes a test result. True if fewer tests fail than ever before in this run. */
function improveTests(state: StallState, tests: EventOf<"tool.finished">["meaning"]["tests"]): boolean {
  const failing = tests?.failed ?? (tests?.verdict === "pass" ? 0 : undefined);
  if (failing === undefined) return false;
  const better = state.failing !== undefined && failing < state.failing;
  state.failing = Math.min(state.failing ?? failing, failing);
  return better;
}
