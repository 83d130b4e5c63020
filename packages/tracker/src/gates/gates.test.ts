import { codingPhases, type NewEvent, type Policy } from "@phasekit/core";
import { describePolicy } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { bash, codingRun, edit, endlessReads, finished, read, type Step } from "../../test/coding-run.ts";
import { phaseTracker } from "../phase-tracker.ts";
import { testsFresh } from "./tests-fresh.ts";
import { gateVerdicts } from "./gate-verdicts.ts";
import { diffNotEmpty } from "./diff-not-empty.ts";
import { todosDone } from "./todos-done.ts";
import { testsKept } from "./tests-kept.ts";

const green = bash("npx jest", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" });
const red = bash("npx jest", { exitCode: 1, stdout: "Tests:       1 failed, 2 passed, 3 total" }, false);
const piped = bash("npx jest | tail -3", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" });
const skip: Step = { tool: "Edit", args: { file_path: "a.test.ts", old_string: "it('a'", new_string: "it.skip('a'" } };
const ownTest: Step = { tool: "Write", args: { file_path: "tests/probe.test.js", content: "it('x', () => {})" } };
const heredoc = bash("cat > tests/probe.test.js <<'EOF'\nit('x', () => {})\nEOF");
const scratch: Step = { tool: "Write", args: { file_path: "/tmp/x.py", content: "x" } };

/** The verdict of one gate, with the tracker beside it and alone: both must agree. */
function verdictOf(gate: () => Policy<never> | Policy, steps: readonly (Step | NewEvent)[]) {
  const ask = (tracked: boolean) => {
    const { run, take, events } = codingRun({ mode: "gate", policies: [...(tracked ? [phaseTracker()] : []), gate()] });
    for (const step of steps) {
      if ("type" in step) run.record(step);
      else take(step);
    }
    run.beforeFinish();
    return gateVerdicts(events)[0];
  };
  const alone = ask(false);
  expect(ask(true)).toEqual(alone);
  return alone;
}

describe("testsFresh", () => {
  it.each<[what: string, steps: readonly Step[], verdict: string | undefined]>([
    ["nothing changed", [read("a"), red], "NOT_NEEDED"],
    ["only something to try out was written", [scratch], "NOT_NEEDED"],
    ["changed and never tested", [edit("a")], "FAIL"],
    ["changed and tested", [edit("a"), green], "PASS"],
    ["tested, then changed", [green, edit("a")], "FAIL"],
    ["changed, tested, changed", [edit("a"), green, edit("a")], "FAIL"],
    [
      "changed in the same line before the tests",
      [bash("sed -i s/a/b/ a.ts && npx jest", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" })],
      "PASS",
    ],
    [
      "changed in the same line after the tests",
      [bash("npx jest && sed -i s/a/b/ a.ts", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" })],
      "FAIL",
    ],
    ["red", [edit("a"), red], "FAIL"],
    ["red, then green", [edit("a"), red, green], "PASS"],
    ["green, then something to try out", [edit("a"), green, scratch], "PASS"],
    ["green, then taken back", [edit("src/a.ts"), green, bash("git checkout -- src/a.ts")], "NOT_NEEDED"],
    ["green, then everything taken back", [edit("src/a.ts"), green, bash("git checkout .")], "NOT_NEEDED"],
    [
      "green, then one of two taken back",
      [edit("src/a.ts"), edit("src/b.ts"), green, bash("git checkout -- src/a.ts")],
      "FAIL",
    ],
    ["green, then set aside", [edit("src/a.ts"), green, bash("git stash")], "NOT_NEEDED"],
    ["green, then set aside and taken up", [edit("src/a.ts"), green, bash("git stash"), bash("git stash pop")], "PASS"],
    ["untested, then set aside and taken up", [edit("src/a.ts"), bash("git stash; git stash pop")], "FAIL"],
    ["committed, then the tree reset", [edit("a.ts"), bash("git commit -am x"), bash("git reset --hard")], "FAIL"],
    ["made and removed", [edit("src/a.ts"), bash("rm src/a.ts")], "NOT_NEEDED"],
    ["green, then another file taken back", [edit("src/a.ts"), green, bash("git restore package-lock.json")], "PASS"],
    ["green, then a branch", [edit("src/a.ts"), green, bash("git checkout -b fix && git add -A")], "PASS"],
    ["green, then unstaged", [edit("src/a.ts"), green, bash("git restore --staged src/a.ts")], "PASS"],
    ["green behind a pipe", [edit("a"), piped], "CONCERNS"],
    ["no result", [edit("a"), bash("npm test || true")], "FAIL"],
    ["only type-checked", [edit("a"), bash("npx tsc --noEmit", { exitCode: 0 })], "CONCERNS"],
    ["type-checked after red tests", [edit("a"), red, bash("npx tsc --noEmit", { exitCode: 0 })], "FAIL"],
    [
      "no tests found",
      [edit("a"), bash("npx jest", { exitCode: 0, stdout: "No tests found, exiting with code 0" })],
      "FAIL",
    ],
  ])("%s: %s", (_what, steps, verdict) => {
    expect(verdictOf(testsFresh, steps)?.verdict).toBe(verdict);
  });

  const documents = [edit("README.md"), edit("docs/guide.md")];
  it.each<[what: string, steps: readonly Step[], verdict: string | undefined]>([
    ["documents only", documents, "NOT_NEEDED"],
    ["documents only, after tests that failed", [red, ...documents], "NOT_NEEDED"],
    ["documents by a shell line", [bash("echo done >> CHANGELOG.md", { exitCode: 0 })], "NOT_NEEDED"],
    ["documents, tested", [...documents, green], "NOT_NEEDED"],
    ["code, tested, then documents", [edit("a.ts"), green, ...documents], "PASS"],
    ["documents, then code", [...documents, edit("a.ts")], "FAIL"],
    ["code, then documents", [edit("a.ts"), ...documents], "FAIL"],
    ["code, red, then documents", [edit("a.ts"), red, ...documents], "FAIL"],
    ["a document and code in one line", [bash("sed -i s/a/b/ README.md a.ts", { exitCode: 0 })], "FAIL"],
  ])("%s: %s", (_what, steps, verdict) => {
    expect(verdictOf(testsFresh, steps)?.verdict).toBe(verdict);
  });

  it("says that there were documents only", () => {
    expect(verdictOf(testsFresh, documents)).toEqual({
      gate: "tests-fresh",
      verdict: "NOT_NEEDED",
      why: "Only documents were changed, so no test was needed.",
      evidence: { grade: "not-needed" },
    });
  });

  it.each([[[...documents]], [[edit("a.ts"), green, ...documents]]])(
    "asks for tests of documents too when told so",
    (steps) => {
      expect(verdictOf(() => testsFresh({ testDocuments: true }), steps)?.verdict).toBe("FAIL");
    },
  );

  const program = bash("python repro.py", { exitCode: 0, stdout: "ok" });
  const broken = bash("python repro.py", { exitCode: 1, stdout: "Traceback" }, false);
  it.each<[steps: readonly (Step | NewEvent)[], why: string]>([
    [[read("a")], "No edit was seen, so no test was needed."],
    [[edit("README.md")], "Only documents were changed, so no test was needed."],
    [[edit("a.ts"), green], "3 tests passed after the last edit (jest)."],
    [
      [edit("a.go"), bash("gofmt -l a.go && go build ./... 2>&1 | head", { stdout: "" })],
      "No test ran after the last edit, but the build passed.",
    ],
    [
      [edit("a.go"), bash("gofmt -l a.go; ls", { stdout: "" })],
      "No test ran after the last edit, and a linter shows no result.",
    ],
    [
      [edit("a.ts"), piped],
      "3 tests passed after the last edit (jest), but the output went through `| tail`, so the exit code is not trusted.",
    ],
    [
      [edit("a.ts"), bash("npx jest; echo ok", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" })],
      "3 tests passed after the last edit (jest), but the line continues with `; echo`, so the exit code is not trusted.",
    ],
    [
      [edit("a.ts"), { type: "check.finished", check: "tests", outcome: "success", passed: 23 }],
      "23 tests passed after the last edit.",
    ],
    [[edit("a.ts"), program], "No test ran after the last edit, but a program passed."],
    [
      [edit("a.ts"), bash("npx tsc --noEmit", { exitCode: 0 })],
      "No test ran after the last edit, but the type check (tsc) passed.",
    ],
    [
      [edit("a.ts"), { type: "check.finished", check: "compile", outcome: "success" }],
      "No test ran after the last edit, but the build (compile) passed.",
    ],
    [[edit("a.ts")], "No test ran after the last edit."],
    [[green, edit("a.ts")], "No test ran after the last edit."],
    [[edit("a.ts"), broken], "No test ran after the last edit, and a program failed."],
    [[edit("a.ts"), red], "The last test run failed (1 failing)."],
    [[red, edit("a.ts")], "The last test run failed (1 failing), and it was not run again."],
    [[edit("a.ts"), bash("npm test || true")], "The last test run shows no result."],
  ])("testsFresh after %j says: %s", (steps, why) => {
    expect(verdictOf(testsFresh, steps)).toMatchObject({ why });
  });

  it.each<[what: string, steps: readonly (Step | NewEvent)[], sentBack: boolean]>([
    ["nothing was ever run by an agent that only hands over edits", [edit("a.ts")], false],
    [
      "nothing was ever run, and only rejected edits were answered",
      [{ ...edit("a.ts"), ok: false, output: "No match." }, edit("a.ts")],
      false,
    ],
    ["nothing was ever run though the tools answer", [{ ...edit("a.ts"), output: "edited" }], true],
    ["a shell made the only edit", [{ tool: "bash", args: { command: "sed -i s/a/b/ a.ts" }, output: "" }], true],
    ["tests ran before the last edit only", [green, edit("a.ts")], true],
    ["tests failed before the last edit only", [red, edit("a.ts")], true],
    ["a program ran before the last edit only", [program, edit("a.ts")], true],
    [
      "tests and the last edit are one line",
      [bash("npx jest && sed -i s/a/b/ a.ts", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" })],
      true,
    ],
    [
      "the host's tests ran before the last edit only",
      [{ type: "check.finished", check: "tests", outcome: "success" }, edit("a.ts")],
      true,
    ],
    ["tests failed after the last edit", [green, edit("a.ts"), red], false],
    ["a program failed after the last edit", [green, edit("a.ts"), broken], false],
    ["tests without a result ran after the last edit", [green, edit("a.ts"), bash("npm test || true")], false],
  ])("testsFresh when %s sends the agent back: %s", (_what, steps, sentBack) => {
    const accepts = (options: Parameters<typeof testsFresh>[0]): boolean => {
      const { run, take } = codingRun({ mode: "gate", policies: [testsFresh(options)] });
      for (const step of steps) {
        if ("type" in step) run.record(step);
        else take(step);
      }
      return run.beforeFinish().accept;
    };
    expect(accepts({})).toBe(!sentBack);
    expect(accepts({ sendBack: "unmet" })).toBe(false);
    expect(accepts({ sendBack: "never" })).toBe(true);
  });

  it("testsFresh has a message to the agent for each problem", () => {
    const words = (...steps: readonly Step[]): unknown => {
      const { run, take } = codingRun({ mode: "gate", policies: [testsFresh({ sendBack: "unmet" })] });
      for (const step of steps) take(step);
      const answer = run.beforeFinish();
      return answer.accept ? undefined : answer.text.split("\n")[1];
    };
    expect([
      words(edit("a")),
      words(bash("npm run tets", { exitCode: 1, stderr: 'npm error Missing script: "tets"' }, false), edit("a")),
      words(green, edit("a")),
      words(edit("a"), red),
      words(edit("a"), bash("npm test || true")),
    ]).toMatchInlineSnapshot(`
      [
        "You changed a, and nothing has checked it. Run the tests before you finish.",
        "You changed a, and nothing has checked it. Run the tests before you finish.",
        "You changed a after the last test run (call 1). Run the tests again before you finish.",
        "The last test run (call 2, 1 failing) failed. Fix the code and run it again, or say why it cannot be done.",
        "The last test run (call 2) shows no result. Run the tests so that their summary and exit code can be seen: no pipe, no \`|| true\`.",
      ]
    `);
  });
});

describe("diffNotEmpty", () => {
  it.each<[what: string, steps: readonly (Step | NewEvent)[], verdict: string]>([
    ["nothing", [read("a")], "FAIL"],
    ["an edit", [edit("a")], "CONCERNS"],
    ["an edit that failed", [{ ...edit("a"), ok: false }], "FAIL"],
    ["an edit and a diff", [edit("a"), { type: "workspace.observed", filesChanged: 1 }], "PASS"],
    ["an edit that was taken back", [edit("a"), { type: "workspace.observed", filesChanged: 0 }], "FAIL"],
    ["a diff older than the edit", [{ type: "workspace.observed", filesChanged: 0 }, edit("a")], "CONCERNS"],
    ["only something to try out", [scratch], "FAIL"],
  ])("%s: %s", (_what, steps, verdict) => {
    expect(verdictOf(diffNotEmpty, steps)?.verdict).toBe(verdict);
  });
});

describe("testsKept", () => {
  it.each<[what: string, steps: readonly Step[], verdict: string | undefined]>([
    ["nothing changed", [read("a")], undefined],
    ["tests untouched", [red, edit("a"), green], "PASS"],
    ["skipped while failing", [red, skip, green], "FAIL"],
    ["deleted while failing", [red, bash("rm tests/test_a.py"), green], "FAIL"],
    ["its own test, written and removed", [edit("a"), ownTest, red, bash("rm tests/probe.test.js"), green], "PASS"],
    ["its own test, by a heredoc", [edit("a"), heredoc, red, bash("rm tests/probe.test.js"), green], "PASS"],
    [
      "its own test, all in one line",
      [edit("a"), bash("echo 'it()' > tests/probe.test.js; npx jest; rm tests/probe.test.js"), green],
      "PASS",
    ],
    [
      "a test that was there, read, overwritten and then removed",
      [{ tool: "Read", args: { file_path: "tests/probe.test.js" } }, ownTest, red, bash("rm tests/probe.test.js")],
      "FAIL",
    ],
    [
      "a test that was there, changed and then removed",
      [
        { tool: "Edit", args: { file_path: "tests/old.test.js", old_string: "a", new_string: "b" } },
        red,
        bash("rm tests/old.test.js"),
      ],
      "FAIL",
    ],
    [
      "an assertion taken out by a patch",
      [
        red,
        {
          tool: "apply_patch",
          args: {
            input:
              "*** Begin Patch\n*** Update File: tests/a.test.ts\n@@\n-  expect(a).toBe(1);\n+  a();\n*** End Patch",
          },
        },
        green,
      ],
      "FAIL",
    ],
    [
      "an assertion only moved by a patch",
      [
        red,
        {
          tool: "apply_patch",
          args: {
            input:
              "*** Begin Patch\n*** Update File: tests/a.test.ts\n@@\n-  expect(a).toBe(1);\n+    expect(a).toBe(1);\n*** End Patch",
          },
        },
        green,
      ],
      "PASS",
    ],
    ["skipped before any test ran", [skip, green], "CONCERNS"],
    ["skipped while passing", [green, skip], "CONCERNS"],
    [
      "an edit that did not land",
      [red, { ...skip, output: "Error: String to replace not found" }, edit("a"), green],
      "PASS",
    ],
  ])("%s: %s", (_what, steps, verdict) => {
    expect(verdictOf(testsKept, steps)?.verdict).toBe(verdict);
  });

  it("names what was weakened", () => {
    expect(verdictOf(testsKept, [red, skip])).toMatchObject({
      why: "Tests were weakened while they failed: a.test.ts: a test is skipped.",
    });
  });
});

describe("todosDone", () => {
  const todos = (...status: readonly string[]): Step => ({
    tool: "TodoWrite",
    args: { todos: status.map((state, n) => ({ content: String(n), status: state })) },
  });
  it.each<[what: string, steps: readonly (Step | NewEvent)[], verdict: string | undefined]>([
    ["no list", [read("a")], undefined],
    ["one open", [todos("completed", "in_progress")], "FAIL"],
    ["all done", [todos("completed", "completed")], "PASS"],
    ["done later", [todos("pending"), todos("completed")], "PASS"],
    ["told as a fact", [{ type: "todos.updated", todos: [{ text: "a", status: "pending" }] }], "FAIL"],
    ["cancelled counts as closed", [{ type: "todos.updated", todos: [{ text: "a", status: "cancelled" }] }], "PASS"],
  ])("%s: %s", (_what, steps, verdict) => {
    expect(verdictOf(todosDone, steps)?.verdict).toBe(verdict);
  });
});

describe("gates and the run", () => {
  it("sends the agent back in mode gate, lets it go once the tests pass, and says what vouched for it", () => {
    const { run, take } = codingRun({ mode: "gate", policies: [phaseTracker(), testsFresh()] });
    take(green);
    take(edit("a"));
    expect(run.beforeFinish()).toMatchObject({
      accept: false,
      text: expect.stringContaining("Run the tests again") as string,
    });
    take(green);
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: true });
    run.end();
    expect(run.outcome).toMatchObject({
      phase: "verifying",
      reason: "done",
      verified: true,
      evidence: {
        grade: "proven",
        why: "3 tests passed after the last edit (jest).",
        gates: [{ gate: "tests-fresh", verdict: "pass", evidence: { runner: "jest", trusted: true, passed: 3 } }],
      },
    });
  });

  it("ends as unverified when the gate is not met and the mode does not stop it", () => {
    const { run, take } = codingRun({ mode: "observe", policies: [phaseTracker(), testsFresh()] });
    take(edit("a"));
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: false });
    run.end();
    expect(run.outcome).toMatchObject({ reason: "done_unverified", verified: false });
  });

  it("knows who waived a gate, why and until when", () => {
    const { run, take, events } = codingRun({ mode: "gate", policies: [phaseTracker(), testsFresh()] });
    take(green);
    take(edit("a"));
    run.waive("tests-fresh", { by: "user", name: "Ada", why: "docs only", until: 1e12 });
    expect(run.beforeFinish()).toMatchObject({ accept: true });
    expect(gateVerdicts(events)).toEqual([
      { gate: "tests-fresh", verdict: "WAIVED", who: "Ada", why: "docs only", until: 1e12 },
    ]);
  });
});

const facts = [read("a"), edit("a"), red, skip, green].map(finished);
for (const gate of [testsFresh, diffNotEmpty, testsKept, todosDone]) {
  describePolicy(() => gate(), {
    describe,
    it,
    graph: codingPhases,
    endless: endlessReads,
    events: [
      ...facts,
      { type: "todos.updated", todos: [{ text: "a", status: "pending" }] },
      { type: "finish.requested" },
    ],
  });
}
