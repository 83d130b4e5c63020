import type { EventOf, Meaning } from "@phasekit/core";
import { notesOf, callOf } from "@phasekit/core/account";
import { isRemembered } from "./remember-name.ts";
import type { WorkLog } from "./work-log.ts";

/** Folds a test run into a log. */
export function foldTest(log: WorkLog, event: EventOf<"tool.finished">): void {
  const { meaning, outcome, seq } = event;
  if (outcome === "denied") return;
  log.testsRun += 1;
  const { tests } = meaning;
  const last = { seq: callOf(event).isBeforeEdit("test") ? seq - 1 : seq, verdict: tests?.verdict ?? "unknown" };
  log.lastTest = last;
  if (last.verdict === "pass") {
    log.lastTestPassed = true;
    endStreak(log);
    if (notesOf(meaning).shell === true) log.consecutiveBashFailures = 0;
  } else if (last.verdict === "unknown") {
    // A runner that prints nothing and does not fail: alone no proof, but after red tests they are not red any more.
    if (callOf(event).worked && meaning.answer === "nothing") {
      if (log.lastTestPassed === false) log.lastTestPassed = true;
      endStreak(log);
    }
  } else if (!isOwnTrial(log, meaning)) {
    if (log.consecutiveTestFailures === 0) log.testStreakSeq = seq;
    log.lastTestPassed = false;
    log.consecutiveTestFailures += 1;
    log.inTestFixCycle = true;
  }
}

function endStreak(log: WorkLog): void {
  log.consecutiveTestFailures = 0;
  log.inTestFixCycle = false;
}

/** True if a test run is only about scratch files: a reproduction is red until the work is done. */
function isOwnTrial({ scratchFiles }: WorkLog, { targets = [] }: Meaning): boolean {
  return targets.length > 0 && targets.every((file) => isRemembered(scratchFiles, file));
}

/** Folds a shell command that was not a test. */
export function foldShell(log: WorkLog, { seq, meaning }: EventOf<"tool.finished">, ok: boolean): void {
  if (ok) {
    log.consecutiveBashFailures = 0;
    return;
  }
  if (log.consecutiveBashFailures === 0) log.shellStreakSeq = seq;
  log.consecutiveBashFailures += 1;
  log.lastShellFailure = meaning.activity;
}
