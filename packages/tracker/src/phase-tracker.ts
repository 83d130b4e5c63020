import {
  type codingPhases,
  definePolicy,
  type EventOf,
  type Meaning,
  type Observers,
  type Policy,
  type RunEvent,
  type RunView,
  startedOver,
  transition,
  type Transition,
} from "@phasekit/core";
import { notesOf, callOf } from "@phasekit/core/account";
import { assertNames, assertNumbers } from "@phasekit/core/adapter";
import { type CodingSignal, signalOf } from "./coding-signal.ts";
import { foldLog } from "./fold-log.ts";
import { isNumberedPlan } from "./numbered-plan.ts";
import { watchedEvents } from "./own-work.ts";
import { trackBySignals, type SignalOptions } from "./track-by-signals.ts";
import { emptyWorkLog, workKey, type WorkLog } from "./work-log.ts";

/** The phases of core's `codingPhases`. */
export type CodingPhase = keyof (typeof codingPhases)["phases"];

/** The phases a graph needs for `phaseTracker()`. It follows the moves the graph has, also into `delivering` and `answering`. */
export type TrackedPhase = "exploring" | "planning" | "acting" | "verifying";

export interface PhaseTrackerOptions {
  /** Turns of looking around, in a row, before acting or a passed check counts as left. @default 3 */
  readonly patience?: number;
  /** Failing test runs in a row, without an edit in between, after which verifying is over by itself. @default 2 */
  readonly failuresBeforeActing?: number;
}

/** What the tracker remembers: the work, and how sure it is of the phase. */
interface TrackerMemory extends WorkLog {
  /** What the last finished call says about the phase. */
  signal: CodingSignal | undefined;
  /** Turns of looking around since the last edit, check or plan. */
  looks: number;
  lookTurn: number;
  /** What the run did last that was not looking around. */
  lastWork: "nothing" | "edit" | "probe" | "check" | "deliver" | "plan";
  /** How the last check went; a program that ran is no verdict. */
  lastVerdict: "pass" | "fail" | "unknown" | "ran";
  /** The fact that led into the present entry. */
  enteredBy: number;
  /** The plan the agent made last. */
  plan: string | undefined;
  /** The last call changed the plan, and did not only tick off a step. */
  planChanged: boolean;
  /** The turn in which a numbered plan was written. */
  plannedInTurn: number;
  /** The last turn was such a plan and nothing else. */
  plannedInText: boolean;
  /** The last plan was made before anything was looked at. */
  plannedFirst: boolean;
  /** What the agent did since the user last spoke, besides looking around. */
  readonly sinceAsked: Set<CodingSignal>;
  /** Something was changed since then, in the work or beside it: a branch, an installation. */
  movedSinceAsked: boolean;
}

/**
 * Infers the phase of a run from what the agent does. Without options it knows the phases of core's `codingPhases`, and
 * takes only moves that the run's graph has: the first edit leads to acting, trying out an edit or a reproduction to
 * verifying, red tests and further edits back to acting, a commit or a push to delivering, a plan to planning, and
 * looking around for a while back to exploring. A finish without a change is answering. For any other graph, `signals`
 * says which activity belongs to which phase.
 *
 * @example
 * createRun({ graph: codingPhases, interpret: reading(), policies: [phaseTracker()] })
 * @throws INVALID_OPTION if a number is not at least 1, or there is no such option.
 * @example
 * phaseTracker({ signals: { search: "triage", edit: "answer" } })
 */
export function phaseTracker<const TPhase extends string>(options: SignalOptions<TPhase>): Policy<unknown, TPhase>;
export function phaseTracker(options?: PhaseTrackerOptions): Policy<unknown, TrackedPhase>;
export function phaseTracker(
  options: PhaseTrackerOptions | SignalOptions<string> = {},
): Policy<unknown, TrackedPhase> | Policy<unknown, string> {
  if ("signals" in options) return trackBySignals(options);
  return Object.keys(options).length === 0 ? (standard ??= trackCoding({})) : trackCoding(options);
}

// It keeps no state of its own, so all runs without options share it.
let standard: Policy<unknown, TrackedPhase> | undefined;

function trackCoding({
  patience = 3,
  failuresBeforeActing = 2,
  ...others
}: PhaseTrackerOptions): Policy<unknown, TrackedPhase> {
  assertNames(others);
  assertNumbers({ patience, failuresBeforeActing }, { atLeast: 1 });
  return definePolicy<TrackerMemory, CodingPhase>({
    name: "phase-tracker",
    version: "3",
    mentions: ["exploring", "planning", "acting", "verifying"],
    // A wider state than the key promises: readers of the key see the work alone.
    key: workKey as Policy<TrackerMemory>["key"] & object,
    initial: () => ({ ...emptyWorkLog(), ...noSignals() }),
    observe: (observers ??= watched()),
    decide: {
      "turn.started": (run, { plannedInText }) =>
        plannedInText ? toPlanning(run, "A plan was written down") : undefined,
      "plan.declared": (run) => toPlanning(run, "A plan was declared"),
      "todos.updated": (run, { planChanged }) =>
        planChanged ? toPlanning(run, "A list of todos was made") : undefined,
      "event.recorded": (run, _state, event) =>
        startedOver.is(event)
          ? moveTo(run, "exploring", { reason: "The agent starts over", outcome: "abandoned" })
          : undefined,
      "finish.requested": onFinish,
      "tool.finished": (run, state, event) => decide(run, state, { event, patience, failuresBeforeActing }),
    },
    // A move the graph does not have is not attempted, so a graph may lack the two other phases.
  }) as Policy<unknown, TrackedPhase>;
}

function noSignals(): Omit<TrackerMemory, keyof WorkLog> {
  return {
    signal: undefined,
    looks: 0,
    lookTurn: 0,
    lastWork: "nothing",
    lastVerdict: "unknown",
    enteredBy: 0,
    plan: undefined,
    planChanged: false,
    plannedInTurn: 0,
    plannedInText: false,
    plannedFirst: false,
    sinceAsked: new Set(),
    movedSinceAsked: false,
  };
}

// They remember nothing, so all runs share them.
let observers: Observers<TrackerMemory> | undefined;

function watched(): Observers<TrackerMemory> {
  const observe = (state: TrackerMemory, event: RunEvent, run: RunView): void => {
    // Before the fold, because that is what closes a turn.
    if (event.type === "turn.started")
      state.plannedInText = state.plannedInTurn > 0 && state.plannedInTurn === state.turn && !state.turnHasTools;
    const { changes } = state.work;
    foldLog(state, event, run);
    switch (event.type) {
      case "message.sent":
        if (event.excerpt !== undefined && isNumberedPlan(event.excerpt)) state.plannedInTurn = state.turn;
        return;
      case "message.received":
        state.sinceAsked.clear();
        state.movedSinceAsked = false;
        return;
      case "event.recorded":
        if (startedOver.is(event)) Object.assign(state, noSignals());
        return;
      case "todos.updated":
        notePlan(state, event.todos.map(({ text = "" }) => text).join("\n"));
        return;
      case "tool.finished":
        foldSignal(state, event, { run, changed: state.work.changes > changes });
        return;
      case "phase.transition":
      case "phase.rolled-back":
        state.looks = 0;
        state.enteredBy = event.cause;
        return;
      default:
        return;
    }
  };
  return Object.fromEntries(watchedEvents.map((type) => [type, observe]));
}

function foldSignal(
  state: TrackerMemory,
  event: EventOf<"tool.finished">,
  { run, changed }: { readonly run: RunView; readonly changed: boolean },
): void {
  // While planning, a call that says nothing about the phase is not planning: it counts as looking around.
  const signal =
    signalOf(event, { scratchFiles: state.scratchFiles, changed }) ??
    (run.phase === "planning" && event.outcome !== "denied" ? "look" : undefined);
  const { turn = 0, meaning } = event;
  state.signal = signal;
  state.planChanged = false;
  if (meaning.mutates === true && event.outcome !== "denied") state.movedSinceAsked = true;
  if (signal === undefined) return;
  state.sinceAsked.add(signal);
  if (signal === "look") {
    // Parallel reads of one turn are one look.
    if (state.lookTurn !== turn || state.looks === 0) state.looks += 1;
    state.lookTurn = turn;
    return;
  }
  if (signal === "plan") {
    const before = state.plan;
    notePlan(state, notesOf(meaning).plan ?? `call ${String(event.seq)}`);
    if (state.plan === before) return;
    state.plannedFirst = state.filesReadCount === 0 && state.searchCount === 0 && state.edits === 0;
  }
  state.looks = 0;
  state.lastWork = signal;
  if (signal === "edit") state.lastVerdict = meaning.tests?.verdict ?? "unknown";
  if (signal !== "check") return;
  const { check, isTest } = callOf(event);
  const verdict = check?.verdict ?? "unknown";
  state.lastVerdict = isTest || meaning.activity === "build" || meaning.activity === "lint" ? verdict : "ran";
}

function notePlan(state: TrackerMemory, plan: string): void {
  state.planChanged = state.plan !== plan;
  state.plan = plan;
}

type View = RunView<CodingPhase>;
type Move = Transition<CodingPhase>;

function decide(
  run: View,
  state: Readonly<TrackerMemory>,
  {
    event,
    patience,
    failuresBeforeActing,
  }: { readonly event: EventOf<"tool.finished"> } & Required<PhaseTrackerOptions>,
): Move | undefined {
  switch (state.signal) {
    case "edit":
      return toActing(run, state, editReason(run, event.meaning));
    case "probe":
      if (run.isIn("verifying")) return undefined;
      return (
        moveTo(run, "verifying", { reason: "Something to try it out was written" }) ??
        toActing(run, state, editReason(run, event.meaning))
      );
    case "check":
      return onCheck(run, state, { event, failuresBeforeActing });
    case "deliver":
      return moveTo(run, "delivering", {
        reason: "The work was handed over",
        ...(run.isIn("verifying") && redOutcome(state)),
      });
    case "plan":
      return state.planChanged ? toPlanning(run, "A planning tool was used") : undefined;
    case "look":
      return onLook(run, state, patience);
    case undefined:
      return undefined;
  }
}

function onCheck(
  run: View,
  state: Readonly<TrackerMemory>,
  { event, failuresBeforeActing }: { readonly event: EventOf<"tool.finished">; readonly failuresBeforeActing: number },
): Move | undefined {
  // Planning does not lead to verifying: what is tried out there is the first step of the plan.
  if (run.isIn("planning") || (run.isIn("answering") && state.edits === 0))
    return moveTo(run, state.edits > 0 ? "acting" : "exploring", {
      reason: run.isIn("planning") ? "The plan is carried out" : "Looking around again",
    });
  if (state.edits === 0 && state.scratchEdits === 0 && !isReproduction(event.meaning, state)) return undefined;
  const red = event.meaning.tests?.verdict === "fail";
  if (run.isIn("verifying")) {
    return red && state.consecutiveTestFailures >= failuresBeforeActing
      ? transition("acting", {
          reason: `Tests failed ${String(state.consecutiveTestFailures)} times`,
          outcome: "failed",
          predicate: "tests_failed",
        })
      : undefined;
  }
  return moveTo(run, "verifying", {
    reason: callOf(event).isTest ? "Tests were run after edits" : "The work was tried out",
  });
}

/**
 * Without anything changed or written, running the tests is a way of looking around; code of one's own is a
 * reproduction. Before anything was looked at there is nothing to reproduce: such code is the work itself.
 */
function isReproduction(meaning: Meaning, { filesReadCount, searchCount }: Readonly<TrackerMemory>): boolean {
  return notesOf(meaning).inline === true && filesReadCount + searchCount > 0;
}

/**
 * An agent that finishes without having changed or handed over anything since the user spoke has answered a question.
 * Checks are part of an answer as long as there is no work they could be about.
 */
function onFinish(run: View, { sinceAsked, movedSinceAsked, work, signal }: Readonly<TrackerMemory>): Move | undefined {
  // A run that is stopped has answered nothing.
  if (run.stopped !== undefined || (signal === "plan" && run.isIn("planning"))) return undefined;
  if (sinceAsked.has("edit") || sinceAsked.has("deliver") || (movedSinceAsked && work.files.size > 0)) return undefined;
  if (work.files.size > 0 && (sinceAsked.has("check") || sinceAsked.has("probe"))) return undefined;
  return moveTo(run, "answering", { reason: "The agent answered, and changed nothing for it" });
}

function onLook(run: View, state: Readonly<TrackerMemory>, patience: number): Move | undefined {
  if (run.isIn("answering")) return moveTo(run, "exploring", { reason: "Looking around again" });
  if (run.isIn("exploring") || state.looks < looksNeeded(state, patience)) return undefined;
  return moveTo(run, "exploring", { reason: "Looking around again", ...(run.isIn("verifying") && redOutcome(state)) });
}

/** How many turns of looking around it takes until that is what the run is doing. */
function looksNeeded(
  { lastWork, lastVerdict, edits, failedEdits, plannedFirst }: Readonly<TrackerMemory>,
  patience: number,
): number {
  switch (lastWork) {
    case "plan":
      // What is planned before anything was read begins with reading.
      return plannedFirst ? 1 : patience;
    case "check":
      // After a check that failed, reading is finding out why. Before the first change there is nothing to go back to.
      return edits === 0 || lastVerdict === "fail" || lastVerdict === "ran"
        ? 1
        : lastVerdict === "unknown"
          ? Math.min(2, patience)
          : patience;
    default:
      // After an edit it is mostly the next edit's first half, unless the edit did not land or its editor says that
      // tests fail.
      return edits === 0 || failedEdits > 0 || (lastWork === "edit" && lastVerdict === "fail") ? 1 : patience;
  }
}

function toActing(run: View, state: Readonly<TrackerMemory>, reason: string): Move | undefined {
  return moveTo(run, "acting", { reason, ...(run.isIn("verifying") && redOutcome(state)) });
}

function editReason(run: View, { targets }: Meaning): string {
  const [file] = targets ?? [];
  return `${run.isIn("verifying") ? "More was changed" : "An edit"}${file === undefined ? "" : `: ${file}`}`;
}

/** An entry whose last test run was red has failed. */
function redOutcome({ lastTest, enteredBy }: Readonly<TrackerMemory>): Partial<Move> {
  return lastTest?.verdict === "fail" && lastTest.seq >= enteredBy
    ? { outcome: "failed", predicate: "tests_failed" }
    : {};
}

function toPlanning(run: View, reason: string): Move | undefined {
  return moveTo(run, "planning", { reason });
}

/** A move the graph would not allow is not attempted. */
function moveTo(run: View, to: CodingPhase, options: Omit<Partial<Move>, "decision" | "to">): Move | undefined {
  return run.canMove(to, "policy") ? transition(to, options) : undefined;
}
