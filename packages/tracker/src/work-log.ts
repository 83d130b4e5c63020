import { type Account, createAccount, workKey as accountKey } from "@phasekit/core/account";
import type { StateKey, TestMeaning } from "@phasekit/core";
import type { NewFiles } from "./new-files.ts";

/** What an agent has done so far, as far as phases, nudges and gates need it. */
export interface WorkLog extends Account {
  explorationStartIteration: number;
  readonly uniqueFilesRead: Set<string>;
  readonly uniqueSearches: Set<string>;
  readonly filesModified: Set<string>;
  /** Counters of the three sets; they go on when the sets are full. */
  filesReadCount: number;
  /** Files that were read before the run entered its present phase. */
  filesReadBefore: number;
  searchCount: number;
  fileModifiedCount: number;
  testsRun: number;
  /** Exploring is saturated: the policy `saturation` said so in this phase entry. */
  shouldTransition: boolean;
  readonly newFiles: NewFiles;
  lastTestPassed: boolean | null;
  consecutiveTestFailures: number;
  inTestFixCycle: boolean;
  consecutiveBashFailures: number;
  consecutiveTextOnlyTurns: number;
  /** The present turn: its number, and what happened in it. */
  turn: number;
  turnHasTools: boolean;
  turnHasText: boolean;
  /** The agent that spoke last, where agents have names. */
  speaker: string | undefined;
  /**
   * How much of the answers was new to the agent when it looked around lately, from 0 to 1; unknown without a reader.
   */
  lookGain: number | undefined;
  /** False if the user asked for an answer, a review or a plan (`expectation.set`). */
  expectsEdits: boolean;
  /** True once a tool answered, other than with a rejected edit: the agent does not only hand over edits. */
  hasTools: boolean;
  /** Landed edits: of the work itself, and of files that only try something out. */
  edits: number;
  scratchEdits: number;
  /** Edits that were tried in a row and did not land. */
  failedEdits: number;
  /** Files the agent wrote only to try something out: changing them later is no change of the work. */
  readonly scratchFiles: Set<string>;
  /** The last test run, and where it stands in the log. */
  lastTest: { readonly seq: number; readonly verdict: TestMeaning["verdict"] } | undefined;
  /** Where the present streaks began, so that each is one episode. */
  testStreakSeq: number;
  shellStreakSeq: number;
  textStreakTurn: number;
  lastShellFailure: string | undefined;
  /** Tests that were weakened while they failed, in words. */
  readonly weakenedWhileFailing: Set<string>;
  openTodos: number | undefined;
  /** The `seq` of the last event that was folded. */
  seq: number;
}

/** The key of the log that `phaseTracker` keeps; other policies of this package read it, or keep their own. */
export const workKey: StateKey<WorkLog> = accountKey as StateKey<WorkLog>;

/** A log in which nothing has happened. */
export function emptyWorkLog(): WorkLog {
  return { ...createAccount(), ...noProgress(), seq: 0 };
}

/** Forgets what was read, tried and repeated. What gates ask for stays: starting over lifts none. */
export function forgetProgress(log: WorkLog): void {
  const { turn, hasTools, expectsEdits, scratchFiles, weakenedWhileFailing, openTodos, lastTest } = log;
  const kept = { turn, hasTools, expectsEdits, scratchFiles, weakenedWhileFailing, openTodos, lastTest };
  Object.assign(log, noProgress(), kept);
}

function noProgress(): Omit<WorkLog, keyof Account | "seq"> {
  return {
    explorationStartIteration: 0,
    uniqueFilesRead: new Set(),
    uniqueSearches: new Set(),
    filesModified: new Set(),
    filesReadCount: 0,
    filesReadBefore: 0,
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
    speaker: undefined,
    lookGain: undefined,
    expectsEdits: true,
    hasTools: false,
    edits: 0,
    scratchEdits: 0,
    failedEdits: 0,
    scratchFiles: new Set(),
    lastTest: undefined,
    testStreakSeq: 0,
    shellStreakSeq: 0,
    textStreakTurn: 0,
    lastShellFailure: undefined,
    weakenedWhileFailing: new Set(),
    openTodos: undefined,
  };
}
