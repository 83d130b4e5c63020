import { type EventOf, expectationSet, type RunEvent, type RunView, startedOver } from "@phasekit/core";
import { isDoneTodo } from "@phasekit/core/adapter";
import { callOf, foldAccount, notesOf } from "@phasekit/core/account";
import { foldShell, foldTest } from "./fold-tests.ts";
import { countNewFile } from "./new-files.ts";
import { rememberName } from "./remember-name.ts";
import { isScratch } from "./scratch-edit.ts";
import { forgetProgress, type WorkLog } from "./work-log.ts";

/** Names hosts give their test runs. */
const TEST_CHECKS: ReadonlySet<string> = new Set(["test", "tests", "unit", "runtime"]);
/** The weight of the newest answer in the mean of what looking around brings. */
const NEWEST = 0.3;

/** Folds one event into a log. */
export function foldLog(log: WorkLog, event: RunEvent, run: Pick<RunView, "iterations" | "graph">): void {
  passTurn(log, event);
  foldEvent(log, event, run);
  foldAccount(log, event);
  if (event.type === "tool.finished" && log.lastTestPassed === false) noteWeakened(log, event);
  log.seq = event.seq;
}

/** Notes the tests that a call weakened while they failed. */
function noteWeakened({ work, weakenedWhileFailing }: WorkLog, { seq }: RunEvent): void {
  for (const [what, at] of work.weakened) if (at === seq) weakenedWhileFailing.add(what);
}

function foldEvent(log: WorkLog, event: RunEvent, run: Pick<RunView, "iterations" | "graph">): void {
  switch (event.type) {
    case "tool.requested":
      log.turnHasTools = true;
      return;
    case "tool.finished":
      log.turnHasTools = true;
      log.consecutiveTextOnlyTurns = 0;
      foldTool(log, event, run.iterations);
      return;
    case "message.sent":
      // Agents that answer each other talk to get on, as a reply to the user does.
      if (log.speaker !== undefined && event.agent !== log.speaker) endTalk(log);
      log.speaker = event.agent;
      log.turnHasText = true;
      return;
    case "message.received":
      endTalk(log);
      log.turnHasText = false;
      // A new request of the user is a new start; a message of a tool or a hook is not.
      if (event.inRequest !== true && (event.from ?? "user") === "user") log.consecutiveTestFailures = 0;
      return;
    case "model.answered":
      if ((event.textLength ?? 0) > 0 || event.toolCalls === 0) log.turnHasText = true;
      return;
    case "todos.updated":
      log.openTodos = event.todos.filter(({ status }) => !isDoneTodo(status)).length;
      return;
    case "check.finished":
      foldCheck(log, event);
      return;
    case "event.emitted":
    case "event.recorded":
      if (expectationSet.is(event)) log.expectsEdits = event.data.edits ?? log.expectsEdits;
      if (startedOver.is(event)) {
        forgetProgress(log);
        log.explorationStartIteration = run.iterations;
      }
      return;
    case "exploration.saturation":
      log.shouldTransition = true;
      return;
    case "phase.transition":
    case "phase.rolled-back":
      log.shouldTransition = false;
      log.newFiles.length = 0;
      log.filesReadBefore = log.filesReadCount;
      if (event.to === run.graph.initial) log.explorationStartIteration = run.iterations;
      return;
    default:
      return;
  }
}

/** A turn with words and without tools is over once the next one begins. */
function passTurn(log: WorkLog, { turn }: RunEvent): void {
  if (turn === undefined || turn <= log.turn) return;
  if (log.turnHasText && !log.turnHasTools) {
    if (log.consecutiveTextOnlyTurns === 0) log.textStreakTurn = log.turn;
    log.consecutiveTextOnlyTurns += 1;
  }
  log.turn = turn;
  log.turnHasTools = false;
  log.turnHasText = false;
}

/** Someone answered: the turns before are a conversation, not a streak of words without work. */
function endTalk(log: WorkLog): void {
  log.consecutiveTextOnlyTurns = 0;
}

function foldTool(log: WorkLog, event: EventOf<"tool.finished">, iteration: number): void {
  const { meaning, outcome, output } = event;
  const notes = notesOf(meaning);
  const call = callOf(event);
  const { failed } = call;
  const unread = outcome !== "denied" && call.unread;
  // An edit that is sent back was handed over: that shows no tool to try it with. Nor does an unread call.
  const isReturned = unread || (meaning.activity === "edit" && failed);
  if (notes.shell === true || (!isReturned && output !== undefined && output !== "")) log.hasTools = true;
  if (meaning.effect === "look" && meaning.gain !== undefined)
    log.lookGain = (1 - NEWEST) * (log.lookGain ?? meaning.gain) + NEWEST * meaning.gain;
  const ok = outcome !== "denied" && !failed;
  if (notes.openTodos !== undefined) log.openTodos = notes.openTodos;
  // A line of several commands may have failed at its end: what it read and wrote before that stands.
  if (ok || meaning.parts !== undefined) foldLooks(log, event, iteration);
  if (call.landed) foldEdit(log, event);
  else if (meaning.activity === "edit" && outcome !== "denied") log.failedEdits += 1;
  if (call.isTest) foldTest(log, event);
  else if (outcome !== "denied" && notes.shell === true) foldShell(log, event, ok);
}

/** A check the host ran or reports. */
function foldCheck(log: WorkLog, { check, outcome, seq }: EventOf<"check.finished">): void {
  log.hasTools = true;
  if (!TEST_CHECKS.has(check.toLowerCase())) return;
  const verdict = outcome === "success" ? "pass" : outcome === "failure" ? "fail" : "unknown";
  log.lastTest = { seq, verdict };
  if (verdict !== "unknown") log.lastTestPassed = verdict === "pass";
}

function foldLooks(log: WorkLog, { meaning }: EventOf<"tool.finished">, iteration: number): void {
  for (const file of callOf({ meaning }).reads) {
    if (!rememberName(log.uniqueFilesRead, file)) continue;
    log.filesReadCount += 1;
    countNewFile(log.newFiles, iteration);
  }
  const query = meaning.activity === "search" ? meaning.targets?.[0] : undefined;
  if (query !== undefined && rememberName(log.uniqueSearches, query)) log.searchCount += 1;
}

function foldEdit(log: WorkLog, { meaning }: EventOf<"tool.finished">): void {
  const files = callOf({ meaning }).edits;
  for (const file of files) if (rememberName(log.filesModified, file)) log.fileModifiedCount += 1;
  if (isScratch(log.scratchFiles, meaning)) {
    log.scratchEdits += 1;
    for (const file of files) rememberName(log.scratchFiles, file);
  } else {
    log.edits += 1;
  }
  log.failedEdits = 0;
}
