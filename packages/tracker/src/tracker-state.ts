import type { RunView } from "@phasekit/core";
import { recentNewFiles } from "./new-files.ts";
import { workKey } from "./work-log.ts";

/**
 * The state of the tracker, field by field. Sets hold the last 4,096 names. `recentNewFiles` is a true window over the
 * last three iterations.
 */
export interface PhaseState {
  readonly phase: string;
  /** The iteration at which the present or last exploring began. */
  readonly explorationStartIteration: number;
  readonly uniqueFilesRead: ReadonlySet<string>;
  readonly uniqueSearches: ReadonlySet<string>;
  readonly filesModified: ReadonlySet<string>;
  readonly testsRun: number;
  /** Exploring is saturated; needs the policy `saturation`. */
  readonly shouldTransition: boolean;
  readonly iterationsInPhase: number;
  /** Files first read in the last three iterations. */
  readonly recentNewFiles: number;
  /** `null` until a test result could be read. */
  readonly lastTestPassed: boolean | null;
  readonly consecutiveTestFailures: number;
  readonly inTestFixCycle: boolean;
  /** Failing shell commands that were no tests. */
  readonly consecutiveBashFailures: number;
  readonly consecutiveTextOnlyTurns: number;
}

/**
 * What the tracker knows about a run, as a copy that later events do not change; `undefined` without `phaseTracker`.
 *
 * @example
 * trackerState(run.view)?.consecutiveTestFailures
 */
export function trackerState(run: Pick<RunView, "read" | "phase" | "entry" | "iterations">): PhaseState | undefined {
  const log = run.read(workKey);
  if (log === undefined) return undefined;
  return Object.freeze({
    phase: run.phase,
    explorationStartIteration: log.explorationStartIteration,
    uniqueFilesRead: new Set(log.uniqueFilesRead),
    uniqueSearches: new Set(log.uniqueSearches),
    filesModified: new Set(log.filesModified),
    testsRun: log.testsRun,
    shouldTransition: log.shouldTransition,
    iterationsInPhase: run.entry.iterations,
    recentNewFiles: recentNewFiles(log, run.iterations),
    lastTestPassed: log.lastTestPassed,
    consecutiveTestFailures: log.consecutiveTestFailures,
    inTestFixCycle: log.inTestFixCycle,
    consecutiveBashFailures: log.consecutiveBashFailures,
    consecutiveTextOnlyTurns: log.consecutiveTextOnlyTurns,
  });
}
