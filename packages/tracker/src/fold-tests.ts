import type { EventOf } from "@phasekit/core";
import { notesOf } from "./coding-notes.ts";
import type { Draft } from "./draft.ts";
import type { LastTest, WorkLog } from "./work-log.ts";

/** Folds a test run into a log. */
export function foldTest(log: WorkLog, { meaning, outcome, seq }: EventOf<"tool.finished">): void {
  if (outcome === "denied") return;
  log.testsRun += 1;
  const { tests, parts } = meaning;
  // In `npm test && sed -i …` the edit came last: the result is older than it.
  const stale = parts !== undefined && parts.lastIndexOf("edit") > parts.lastIndexOf("test");
  const last: Draft<LastTest> = { seq: stale ? seq - 1 : seq, verdict: tests?.verdict ?? "unknown", trusted: tests?.trusted ?? false };
  if (tests?.runner !== undefined) last.runner = tests.runner;
  if (tests?.passed !== undefined) last.passed = tests.passed;
  if (tests?.failed !== undefined) last.failed = tests.failed;
  log.lastTest = last;
  if (last.verdict === "pass") {
    log.lastTestPassed = true;
    log.consecutiveTestFailures = 0;
    log.inTestFixCycle = false;
    if (notesOf(meaning).shell === true) log.consecutiveBashFailures = 0;
  } else if (last.verdict === "fail") {
    if (log.consecutiveTestFailures === 0) log.testStreakSeq = seq;
    log.lastTestPassed = false;
    log.consecutiveTestFailures += 1;
    log.inTestFixCycle = true;
  }
}

/** Folds a shell command that was no test. */
export function foldShell(log: WorkLog, { seq, meaning }: EventOf<"tool.finished">, ok: boolean): void {
  if (ok) {
    log.consecutiveBashFailures = 0;
    return;
  }
  if (log.consecutiveBashFailures === 0) log.shellStreakSeq = seq;
  log.consecutiveBashFailures += 1;
  log.lastShellFailure = meaning.activity;
}
