import { describe, expect, it } from "vitest";
import { testsFresh } from "../src/gates/tests-fresh.ts";
import { gateVerdicts } from "../src/gates/gate-verdicts.ts";
import { resultNudges } from "../src/nudges/result-nudges.ts";
import { phaseTracker } from "../src/phase-tracker.ts";
import { trackerState } from "../src/tracker-state.ts";
import { bash, codingRun, edit, type Step } from "./coding-run.ts";

const write = (path: string): Step => ({ tool: "Write", args: { file_path: path, content: "x" } });
const red = (command: string): Step => bash(command, { exitCode: 1, stdout: "1 failed, 2 passed in 0.1s" }, false);
const green = bash("pytest", { exitCode: 0, stdout: "3 passed in 0.1s" });

const NO_EVIDENCE: readonly (readonly [what: string, step: Step])[] = [
  ["a commit", bash("git add -A && git commit -m 'run the tests'", { exitCode: 0, stdout: "1 file changed" })],
  ["a push", bash("git push", { exitCode: 0, stdout: "" })],
  ["a document", write("docs/testing.md")],
  ["a document written by a shell", bash("cat > SUMMARY.md <<'EOF'\nAll 3 tests passed\nEOF", { exitCode: 0 })],
  ["a scratch file", write("/tmp/check_fix.py")],
  ["a reproduction that is only written", write("/app/reproduce_issue.py")],
  ["a command that does not exist", bash("runtestz", { exitCode: 127, stdout: "bash: runtestz: command not found" })],
  ["a runner that never started", bash("./mvnw test", "Error: JAVA_HOME is not defined correctly.", false)],
];

describe("calls that verify nothing", () => {
  it.each(NO_EVIDENCE)("%s after an edit is not evidence", (_what, step) => {
    const { run, take, events } = codingRun({ mode: "gate", policies: [phaseTracker(), testsFresh()] });
    take(edit("src/a.py"), step);
    run.beforeFinish();
    expect(gateVerdicts(events)[0]).toMatchObject({ verdict: "FAIL" });
    expect(trackerState(run.view)).toMatchObject({ lastTestPassed: null, inTestFixCycle: false });
  });

  it.each(NO_EVIDENCE.slice(0, 5))("%s after green tests takes nothing away from them", (_what, step) => {
    const { run, take, events } = codingRun({ mode: "gate", policies: [phaseTracker(), testsFresh()] });
    take(edit("src/a.py"), green, step);
    run.beforeFinish();
    expect(gateVerdicts(events)[0]).toMatchObject({ verdict: "PASS" });
  });

  it.each(["a commit", "a push", "a document"])("%s does not lead from acting to verifying", (what) => {
    const { run, take } = codingRun();
    const [, step] = NO_EVIDENCE.find(([name]) => name === what)!;
    take(edit("src/a.py"), step);
    expect(run.view.phase).toBe(what === "a document" ? "acting" : "delivering");
  });
});

describe("a red reproduction of the agent's own", () => {
  it.each(["pytest test_repro.py", "pytest /app/test_repro.py", "cd /app && pytest ./test_repro.py -x"])(
    "is not a streak of failing tests: %s",
    (command) => {
      const { run, take, events } = codingRun({ policies: [phaseTracker(), resultNudges()] });
      take(write("/app/test_repro.py"), edit("src/a.py"), red(command), red(command), red(command), red(command));
      run.beforeTurn();
      expect(trackerState(run.view)).toMatchObject({ consecutiveTestFailures: 0, inTestFixCycle: false, testsRun: 4 });
      expect(events.filter(({ type }) => type === "nudge.sent")).toEqual([]);
      expect(run.view.phase).toBe("verifying");
    },
  );

  it("leaves the tests of the project alone", () => {
    const { run, take } = codingRun();
    take(write("/app/test_repro.py"), edit("src/a.py"), red("pytest tests/test_a.py"), red("pytest test_repro.py"));
    expect(trackerState(run.view)).toMatchObject({ consecutiveTestFailures: 1, inTestFixCycle: true });
  });
});

describe("a test command that succeeds in silence", () => {
  it("ends the fix cycle, and is not evidence for a gate", () => {
    const { run, take } = codingRun();
    take(edit("src/a.py"), bash("npm test", "1 failed, 2 passed", false), bash("npm test", ""));
    expect(trackerState(run.view)).toMatchObject({
      consecutiveTestFailures: 0,
      inTestFixCycle: false,
      lastTestPassed: true,
    });
    expect(run.beforeFinish().evidence.grade).toBe("claimed");
  });

  it("does not end it with words that say nothing", () => {
    const { run, take } = codingRun();
    take(edit("src/a.py"), bash("npm test", "1 failed, 2 passed", false), bash("npm test", "starting up"));
    expect(trackerState(run.view)).toMatchObject({ consecutiveTestFailures: 1, inTestFixCycle: true });
  });
});
