import { defineState, type EventOf, type Meaning, type RunEvent, type RunView, type StateKey } from "@phasekit/core";
import { notesOf } from "./coding-notes.ts";

/** Names a set keeps; counters go on beyond it. */
const MAX_NAMES = 4096;
const WINDOW = 3;
const MAX_WEAKENED = 16;

/** What an agent has done so far, as far as phases, nudges and gates need it. */
export interface WorkLog {
  explorationStartIteration: number;
  readonly uniqueFilesRead: Set<string>;
  readonly uniqueSearches: Set<string>;
  readonly filesModified: Set<string>;
  /** Counters of the three sets; they go on when the sets are full. */
  filesReadCount: number;
  searchCount: number;
  fileModifiedCount: number;
  testsRun: number;
  /** Exploring is saturated: the policy `saturation` said so in this phase entry. */
  shouldTransition: boolean;
  /** How many files were read for the first time, by iteration; at most the last three. */
  readonly newFiles: { readonly iteration: number; count: number }[];
  lastTestPassed: boolean | null;
  consecutiveTestFailures: number;
  inTestFixCycle: boolean;
  consecutiveBashFailures: number;
  consecutiveTextOnlyTurns: number;
  /** The present turn: its number, and what happened in it. */
  turn: number;
  turnHasTools: boolean;
  turnHasText: boolean;
  /** Landed edits: of the work itself, and of files that only try something out. */
  edits: number;
  scratchEdits: number;
  /** Edits that were tried in a row and did not land. */
  failedEdits: number;
  /** Files the agent wrote only to try something out: changing them later is no change of the work. */
  readonly scratchFiles: Set<string>;
  /** Where the last landed edit of the work, and the last test result, stand in the log. */
  lastEditSeq: number;
  lastTest: { readonly seq: number; readonly verdict: "pass" | "fail" | "unknown"; readonly trusted: boolean; readonly runner?: string; readonly passed?: number; readonly failed?: number } | undefined;
  lastCheck: { readonly seq: number; readonly verdict: "pass" | "fail" | "unknown"; readonly what: string } | undefined;
  /** Where the present streaks began, so that each is one episode. */
  testStreakSeq: number;
  shellStreakSeq: number;
  textStreakTurn: number;
  lastShellFailure: string | undefined;
  readonly weakenedWhileFailing: string[];
  readonly weakened: string[];
  openTodos: number | undefined;
  observedFiles: { readonly seq: number; readonly files: number } | undefined;
}

/** The key of the log that `phaseTracker` keeps; other policies of this package read it, or keep their own. */
export const workKey: StateKey<WorkLog> = defineState<WorkLog>("tracker/work");

/** A log in which nothing has happened. */
export function emptyWorkLog(): WorkLog {
  return {
    explorationStartIteration: 0,
    uniqueFilesRead: new Set(),
    uniqueSearches: new Set(),
    filesModified: new Set(),
    filesReadCount: 0,
    searchCount: 0,
    fileModifiedCount: 0,
    testsRun: 0,
    shouldTransition: false,
    newFiles: [],
    lastTestPassed: null,
    consecutiveTestFailures: 0,
    inTestFixCycle: false,
    consecutiveBashFailures: 0,
    consecutiveTextOnlyTurns: 0,
    turn: 0,
    turnHasTools: false,
    turnHasText: false,
    edits: 0,
    scratchEdits: 0,
    failedEdits: 0,
    scratchFiles: new Set(),
    lastEditSeq: 0,
    lastTest: undefined,
    lastCheck: undefined,
    testStreakSeq: 0,
    shellStreakSeq: 0,
    textStreakTurn: 0,
    lastShellFailure: undefined,
    weakenedWhileFailing: [],
    weakened: [],
    openTodos: undefined,
    observedFiles: undefined,
  };
}

/** Folds one event into a log. */
export function foldWork(log: WorkLog, event: RunEvent, run: Pick<RunView, "iterations" | "graph">): void {
  passTurn(log, event);
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
      log.turnHasText = true;
      return;
    case "model.answered":
      if ((event.textLength ?? 0) > 0 || event.toolCalls === 0) log.turnHasText = true;
      return;
    case "todos.updated":
      log.openTodos = event.todos.filter(({ status }) => !/^(?:completed?|done|cancell?ed|skipped)$/i.test(status)).length;
      return;
    case "workspace.observed":
      log.observedFiles = { seq: event.seq, files: event.filesChanged ?? event.paths?.length ?? (event.linesAdded ?? 0) + (event.linesRemoved ?? 0) };
      return;
    case "exploration.saturation":
      log.shouldTransition = true;
      return;
    case "phase.transition":
    case "phase.rolled-back":
      log.shouldTransition = false;
      log.newFiles.length = 0;
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

function foldTool(log: WorkLog, event: EventOf<"tool.finished">, iteration: number): void {
  const { meaning, outcome, seq } = event;
  const notes = notesOf(meaning);
  const ok = outcome === "ok" && notes.failed !== true;
  if (notes.openTodos !== undefined) log.openTodos = notes.openTodos;
  // A line of several commands may have failed at its end: what it read and wrote before that stands.
  if (ok || meaning.parts !== undefined) {
    for (const file of readsOf(meaning)) {
      if (!remember(log.uniqueFilesRead, file)) continue;
      log.filesReadCount += 1;
      countNewFile(log, iteration);
    }
    if (meaning.activity === "search") {
      const [query] = meaning.targets ?? [];
      if (query !== undefined && remember(log.uniqueSearches, query)) log.searchCount += 1;
    }
  }
  if (landsEdit(meaning, outcome)) {
    for (const file of editsOf(meaning)) if (remember(log.filesModified, file)) log.fileModifiedCount += 1;
    if (isScratch(log, meaning)) {
      log.scratchEdits += 1;
      for (const file of editsOf(meaning)) remember(log.scratchFiles, file);
    } else {
      log.edits += 1;
      log.lastEditSeq = seq;
    }
    log.failedEdits = 0;
    foldWeakening(log, notes.weakens);
  } else if (meaning.activity === "edit" && outcome !== "denied") log.failedEdits += 1;
  if (isTest(meaning)) foldTest(log, event);
  else if (notes.shell === true && outcome !== "denied") foldShell(log, event, ok);
  if (isCheck(meaning) && !isTest(meaning) && outcome !== "denied") {
    const verdict = notes.check?.verdict ?? (ok ? (notes.exitCode === 0 ? "pass" : "unknown") : "fail");
    log.lastCheck = { seq, verdict, what: meaning.activity ?? "run" };
  }
}

function foldTest(log: WorkLog, { meaning, outcome, seq }: EventOf<"tool.finished">): void {
  if (outcome === "denied") return;
  log.testsRun += 1;
  const { tests } = meaning;
  const parts = meaning.parts ?? [];
  // In `npm test && sed -i …` the edit came last: the result is older than it.
  const stale = parts.lastIndexOf("edit") > parts.lastIndexOf("test");
  log.lastTest = { seq: stale ? seq - 1 : seq, verdict: tests?.verdict ?? "unknown", trusted: tests?.trusted ?? false, ...(tests?.runner !== undefined && { runner: tests.runner }), ...(tests?.passed !== undefined && { passed: tests.passed }), ...(tests?.failed !== undefined && { failed: tests.failed }) };
  if (tests?.verdict === "pass") {
    log.lastTestPassed = true;
    log.consecutiveTestFailures = 0;
    log.inTestFixCycle = false;
    if (notesOf(meaning).shell === true) log.consecutiveBashFailures = 0;
  } else if (tests?.verdict === "fail") {
    if (log.consecutiveTestFailures === 0) log.testStreakSeq = seq;
    log.lastTestPassed = false;
    log.consecutiveTestFailures += 1;
    log.inTestFixCycle = true;
  }
}

function foldShell(log: WorkLog, { seq, meaning }: EventOf<"tool.finished">, ok: boolean): void {
  if (ok) {
    log.consecutiveBashFailures = 0;
    return;
  }
  if (log.consecutiveBashFailures === 0) log.shellStreakSeq = seq;
  log.consecutiveBashFailures += 1;
  log.lastShellFailure = meaning.activity;
}

function foldWeakening(log: WorkLog, weakens: readonly string[] | undefined): void {
  if (weakens === undefined) return;
  const list = log.lastTestPassed === false ? log.weakenedWhileFailing : log.weakened;
  for (const what of weakens) if (list.length < MAX_WEAKENED && !list.includes(what)) list.push(what);
}

/** Whether a call is a test run, alone or as a part. */
export function isTest({ activity, parts, tests }: Meaning): boolean {
  return tests !== undefined || activity === "test" || parts?.includes("test") === true;
}

/** Whether a call tries out the work: tests, a build, a check, or a program. */
export function isCheck(meaning: Meaning): boolean {
  const { activity } = meaning;
  if (isTest(meaning) || activity === "build" || activity === "lint") return true;
  return notesOf(meaning).program === true && (activity === "run" || meaning.parts?.includes("run") === true);
}

/** Whether a call has changed files. */
export function landsEdit(meaning: Meaning, outcome: EventOf<"tool.finished">["outcome"]): boolean {
  const edits = meaning.activity === "edit" || meaning.parts?.includes("edit") === true;
  return edits && outcome !== "denied" && meaning.mutates !== false && (outcome === "ok" || meaning.parts !== undefined);
}

/** Whether an edit touches nothing but files for trying something out. */
export function isScratch({ scratchFiles }: Pick<Readonly<WorkLog>, "scratchFiles">, meaning: Meaning): boolean {
  if (notesOf(meaning).scratch === true) return true;
  const files = editsOf(meaning);
  return scratchFiles.size > 0 && files.length > 0 && files.every((file) => scratchFiles.has(file));
}

function readsOf(meaning: Meaning): readonly string[] {
  return notesOf(meaning).reads ?? (meaning.activity === "read" ? (meaning.targets ?? []) : []);
}

function editsOf(meaning: Meaning): readonly string[] {
  return notesOf(meaning).edits ?? (meaning.activity === "edit" ? (meaning.targets ?? []) : []);
}

function countNewFile({ newFiles }: WorkLog, iteration: number): void {
  const last = newFiles.at(-1);
  if (last?.iteration === iteration) last.count += 1;
  else newFiles.push({ iteration, count: 1 });
  if (newFiles.length > WINDOW) newFiles.shift();
}

/** Files first read in the last three iterations. */
export function recentNewFiles({ newFiles }: Readonly<WorkLog>, iteration: number): number {
  let sum = 0;
  for (const { iteration: then, count } of newFiles) if (then > iteration - WINDOW) sum += count;
  return sum;
}

/** Adds a name; false when it was known. The oldest goes when there are too many. */
function remember(names: Set<string>, given: string): boolean {
  const name = given.startsWith("./") ? given.slice(2) : given;
  if (name === "" || names.has(name)) return false;
  names.add(name);
  if (names.size > MAX_NAMES) {
    const [oldest] = names;
    if (oldest !== undefined) names.delete(oldest);
  }
  return true;
}
