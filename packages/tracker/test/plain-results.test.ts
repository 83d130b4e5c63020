import { describe, expect, it } from "vitest";
import { bash, codingRun, edit, read, type Step } from "./coding-run.ts";
import { resultNudges } from "../src/nudges/result-nudges.ts";
import { phaseTracker } from "../src/phase-tracker.ts";
import { trackerState } from "../src/tracker-state.ts";

// Results as a host without exit codes hands them over: it worked or not, and a few words.
describe("results told in words", () => {
  it.each<[command: string, ok: boolean, output: string, passed: boolean | null]>([
    ["npm test", false, "5 passed, 2 failed", false],
    ["npm test", true, "5 passed, 2 failed", false],
    ["npm test", true, "5 passed", true],
    ["npm test", true, "FAILED: 1 test", false],
    ["npm test", true, "All tests passed", true],
    ["npm test", false, "", false],
    ["npm test", true, "", null],
    ["npm test", true, "0 failed, 12 passed", true],
    ["npm test", true, "no tests found", null],
    ["npm run test:unit", true, "Tests: 3 passed, 3 total", true],
    ["pytest", true, "===== 3 passed in 0.12s =====", true],
    ["pytest -q", true, "3 passed in 0.12s", true],
    ["pytest", false, "===== 1 failed, 2 passed in 0.12s =====", false],
    ["pytest", false, "===== 1 error in 0.12s =====", false],
    ["pytest", true, "collected 0 items", null],
    ["pytest", true, "===== no tests ran in 0.01s =====", null],
    ["pytest tests | tail -1", true, "1 failed, 2 passed in 0.1s", false],
    ["go test ./...", true, "ok  \texample.com/a\t0.01s", true],
    ["go test ./...", false, "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.01s", false],
    ["go test ./...", true, "?   \texample.com/a\t[no test files]", null],
    ["cargo test", true, "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out", true],
    ["cargo test", false, "test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out", false],
    ["npx jest", false, "Tests:       2 failed, 3 passed, 5 total", false],
    ["npx vitest run", true, " Test Files  1 passed (1)\n      Tests  3 passed (3)", true],
    ["python -m unittest", true, "Ran 3 tests in 0.001s\n\nOK", true],
    ["python -m unittest", false, "Ran 3 tests in 0.001s\n\nFAILED (failures=1)", false],
    ["mvn test", false, "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0", false],
    ["make test", false, "make: *** [test] Error 1", false],
    ["npm test || true", true, "1 failed, 2 passed", false],
    ["npm test; echo done", true, "3 passed\ndone", true],
    ["npm test", false, "sh: jest: command not found", null],
  ])("%s, ok: %s, %j: passed %s", (...[command, ok, output, passed]) => {
    const { run, take } = codingRun();
    take(edit("a.ts"), bash(command, output, ok));
    expect(trackerState(run.view)).toMatchObject({ lastTestPassed: passed, testsRun: 1 });
    expect(run.view.phase).toBe("verifying");
  });

  const failing = bash("npm test", "1 failed, 2 passed", false);
  const passing = bash("npm test", "3 passed");

  it.each<[what: string, steps: readonly Step[], expected: object]>([
    [
      "two red runs, then a green one",
      [edit("a"), failing, failing, passing],
      { consecutiveTestFailures: 0, inTestFixCycle: false, lastTestPassed: true },
    ],
    ["a red run is no shell failure", [edit("a"), failing], { consecutiveTestFailures: 1, consecutiveBashFailures: 0 }],
    [
      "shell failures are no test failures",
      [bash("bad", "x", false), bash("worse", "x", false)],
      { consecutiveTestFailures: 0, consecutiveBashFailures: 2 },
    ],
    ["a green run ends shell failures", [bash("bad", "x", false), passing], { consecutiveBashFailures: 0 }],
    [
      "a red run between shell failures ends nothing",
      [bash("bad", "x", false), failing, bash("bad", "x", false)],
      { consecutiveBashFailures: 2 },
    ],
    [
      "a read between shell failures ends nothing",
      [bash("bad", "x", false), read("a"), bash("bad", "x", false)],
      { consecutiveBashFailures: 2 },
    ],
    [
      "an unknown result keeps the streak",
      [edit("a"), failing, bash("npm test", "starting")],
      { consecutiveTestFailures: 1, testsRun: 2 },
    ],
    ["an install that failed", [bash("npm install tester", "404", false)], { consecutiveBashFailures: 1, testsRun: 0 }],
    ["reading the same file twice", [read("a"), read("./a"), read("b")], { uniqueFilesRead: new Set(["a", "b"]) }],
    [
      "a search is no file",
      [{ tool: "grep", args: { pattern: "x", path: "src" } }],
      { uniqueFilesRead: new Set(), uniqueSearches: new Set(["x"]) },
    ],
    ["cat of two files", [bash("cat a b | head -20", "x")], { uniqueFilesRead: new Set(["a", "b"]) }],
  ])("%s", (_what, steps, expected) => {
    const { run, take } = codingRun();
    take(...steps);
    expect(trackerState(run.view)).toMatchObject(expected);
  });

  it.each<[what: string, steps: readonly Step[], by: readonly string[]]>([
    ["three red runs", [edit("a"), failing, edit("a"), failing, edit("a"), failing], ["test-failures"]],
    ["two red runs", [edit("a"), failing, edit("a"), failing], []],
    [
      "three failing commands",
      [bash("a", "x", false), bash("b", "x", false), bash("c", "x", false)],
      ["shell-failures"],
    ],
    [
      "three failing commands with one that worked between",
      [bash("a", "x", false), bash("b", "x", false), bash("good"), bash("c", "x", false)],
      [],
    ],
  ])("%s: %j speaks", (_what, steps, by) => {
    const { run, take, events } = codingRun({ policies: [phaseTracker(), resultNudges()] });
    take(...steps);
    run.beforeTurn();
    expect(events.flatMap((event) => (event.type === "nudge.sent" ? [event.by] : []))).toEqual(by);
  });
});
