import { codingPhases, type NewFact, type Policy } from "@phasekit/core";
import { describePolicy } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { bash, codingRun, edit, endlessReads, finished, read, type Step } from "../__fixtures__/coding-run.ts";
import { phaseTracker } from "../phase-tracker.ts";
import { freshTests } from "./fresh-tests.ts";
import { gateVerdicts } from "./gate-verdicts.ts";
import { nonEmptyDiff } from "./non-empty-diff.ts";
import { openTodos } from "./open-todos.ts";
import { testsNotWeakened } from "./tests-not-weakened.ts";

const green = bash("npx jest", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" });
const red = bash("npx jest", { exitCode: 1, stdout: "Tests:       1 failed, 2 passed, 3 total" }, false);
const piped = bash("npx jest | tail -3", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" });
const skip: Step = { tool: "Edit", args: { file_path: "a.test.ts", old_string: "it('a'", new_string: "it.skip('a'" } };
const scratch: Step = { tool: "Write", args: { file_path: "/tmp/x.py", content: "x" } };

/** The verdict of one gate, with the tracker beside it and alone: both must agree. */
function verdictOf(gate: () => Policy<never> | Policy, steps: readonly (Step | NewFact)[]) {
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

describe("freshTests", () => {
  it.each<[what: string, steps: readonly Step[], verdict: string | undefined]>([
    ["nothing changed", [read("a"), red], undefined],
    ["only something to try out was written", [scratch], undefined],
    ["changed and never tested", [edit("a")], "FAIL"],
    ["changed and tested", [edit("a"), green], "PASS"],
    ["tested, then changed", [green, edit("a")], "FAIL"],
    ["changed, tested, changed", [edit("a"), green, edit("a")], "FAIL"],
    ["changed in the same line before the tests", [bash("sed -i s/a/b/ a.ts && npx jest", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" })], "PASS"],
    ["changed in the same line after the tests", [bash("npx jest && sed -i s/a/b/ a.ts", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" })], "FAIL"],
    ["red", [edit("a"), red], "FAIL"],
    ["red, then green", [edit("a"), red, green], "PASS"],
    ["green, then something to try out", [edit("a"), green, scratch], "PASS"],
    ["green behind a pipe", [edit("a"), piped], "CONCERNS"],
    ["no result", [edit("a"), bash("npm test || true")], "FAIL"],
    ["only type-checked", [edit("a"), bash("npx tsc --noEmit", { exitCode: 0 })], "CONCERNS"],
    ["type-checked after red tests", [edit("a"), red, bash("npx tsc --noEmit", { exitCode: 0 })], "FAIL"],
    ["no tests found", [edit("a"), bash("npx jest", { exitCode: 0, stdout: "No tests found, exiting with code 0" })], "FAIL"],
  ])("%s: %s", (_what, steps, verdict) => {
    expect(verdictOf(freshTests, steps)?.verdict).toBe(verdict);
  });

  const documents = [edit("README.md"), edit("docs/guide.md")];
  it.each<[what: string, steps: readonly Step[], verdict: string | undefined]>([
    ["documents only", documents, "CONCERNS"],
    ["documents only, after tests that failed", [red, ...documents], "CONCERNS"],
    ["documents by a shell line", [bash("echo done >> CHANGELOG.md", { exitCode: 0 })], "CONCERNS"],
    ["documents, tested", [...documents, green], "PASS"],
    ["code, tested, then documents", [edit("a.ts"), green, ...documents], "PASS"],
    ["documents, then code", [...documents, edit("a.ts")], "FAIL"],
    ["code, then documents", [edit("a.ts"), ...documents], "FAIL"],
    ["code, red, then documents", [edit("a.ts"), red, ...documents], "FAIL"],
    ["a document and code in one line", [bash("sed -i s/a/b/ README.md a.ts", { exitCode: 0 })], "FAIL"],
  ])("%s: %s", (_what, steps, verdict) => {
    expect(verdictOf(freshTests, steps)?.verdict).toBe(verdict);
  });

  it("says that there were documents only", () => {
    expect(verdictOf(freshTests, documents)).toEqual({ gate: "fresh-tests", verdict: "CONCERNS", evidence: { documentsOnly: true, edits: 2, tests: "never-run" } });
  });

  it.each([[[...documents]], [[edit("a.ts"), green, ...documents]]])("asks for tests of documents too when told so", (steps) => {
    expect(verdictOf(() => freshTests({ testDocuments: true }), steps)?.verdict).toBe("FAIL");
  });

  it("has words for each problem", () => {
    const words = (...steps: readonly Step[]): unknown => (verdictOf(freshTests, steps) as { why?: string } | undefined)?.why;
    expect([words(edit("a")), words(green, edit("a")), words(edit("a"), red), words(edit("a"), bash("npm test || true"))]).toMatchInlineSnapshot(`
      [
        "You have changed code and not run the tests. Run them before you finish.",
        "You have changed code after the last test run. Run the tests again before you finish.",
        "The last test run failed (1 failing). Fix the code and run the tests again, or say why it cannot be done.",
        "The last test run shows no result. Run the tests so that their summary and exit code can be seen: no pipe, no \`|| true\`.",
      ]
    `);
  });
});

describe("nonEmptyDiff", () => {
  it.each<[what: string, steps: readonly (Step | NewFact)[], verdict: string]>([
    ["nothing", [read("a")], "FAIL"],
    ["an edit", [edit("a")], "CONCERNS"],
    ["an edit that failed", [{ ...edit("a"), ok: false }], "FAIL"],
    ["an edit and a diff", [edit("a"), { type: "workspace.observed", filesChanged: 1 }], "PASS"],
    ["an edit that was taken back", [edit("a"), { type: "workspace.observed", filesChanged: 0 }], "FAIL"],
    ["a diff older than the edit", [{ type: "workspace.observed", filesChanged: 0 }, edit("a")], "CONCERNS"],
    ["only something to try out", [scratch], "FAIL"],
  ])("%s: %s", (_what, steps, verdict) => {
    expect(verdictOf(nonEmptyDiff, steps)?.verdict).toBe(verdict);
  });
});

describe("testsNotWeakened", () => {
  it.each<[what: string, steps: readonly Step[], verdict: string | undefined]>([
    ["nothing changed", [read("a")], undefined],
    ["tests untouched", [red, edit("a"), green], "PASS"],
    ["skipped while failing", [red, skip, green], "FAIL"],
    ["deleted while failing", [red, bash("rm tests/test_a.py"), green], "FAIL"],
    ["an assertion taken out by a patch", [red, { tool: "apply_patch", args: { input: "*** Begin Patch\n*** Update File: tests/a.test.ts\n@@\n-  expect(a).toBe(1);\n+  a();\n*** End Patch" } }, green], "FAIL"],
    ["an assertion only moved by a patch", [red, { tool: "apply_patch", args: { input: "*** Begin Patch\n*** Update File: tests/a.test.ts\n@@\n-  expect(a).toBe(1);\n+    expect(a).toBe(1);\n*** End Patch" } }, green], "PASS"],
    ["skipped before any test ran", [skip, green], "CONCERNS"],
    ["skipped while passing", [green, skip], "CONCERNS"],
    ["an edit that did not land", [red, { ...skip, output: "Error: String to replace not found" }, edit("a"), green], "PASS"],
  ])("%s: %s", (_what, steps, verdict) => {
    expect(verdictOf(testsNotWeakened, steps)?.verdict).toBe(verdict);
  });

  it("names what was weakened", () => {
    expect(verdictOf(testsNotWeakened, [red, skip])).toMatchObject({ why: "Tests were weakened while they failed: a.test.ts: a test is skipped. Put them back and fix the code, or say why the test itself is wrong." });
  });
});

describe("openTodos", () => {
  const todos = (...status: readonly string[]): Step => ({ tool: "TodoWrite", args: { todos: status.map((state, n) => ({ content: String(n), status: state })) } });
  it.each<[what: string, steps: readonly (Step | NewFact)[], verdict: string | undefined]>([
    ["no list", [read("a")], undefined],
    ["one open", [todos("completed", "in_progress")], "FAIL"],
    ["all done", [todos("completed", "completed")], "PASS"],
    ["done later", [todos("pending"), todos("completed")], "PASS"],
    ["told as a fact", [{ type: "todos.updated", todos: [{ text: "a", status: "pending" }] }], "FAIL"],
    ["cancelled counts as closed", [{ type: "todos.updated", todos: [{ text: "a", status: "cancelled" }] }], "PASS"],
  ])("%s: %s", (_what, steps, verdict) => {
    expect(verdictOf(openTodos, steps)?.verdict).toBe(verdict);
  });
});

describe("gates and the run", () => {
  it("sends the agent back in mode gate, lets it go once the tests pass, and says what vouched for it", () => {
    const { run, take } = codingRun({ mode: "gate", policies: [phaseTracker(), freshTests()] });
    take(edit("a"));
    expect(run.beforeFinish()).toMatchObject({ accept: false, text: expect.stringContaining("not run the tests") as string });
    take(green);
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: true });
    run.end();
    expect(run.outcome).toMatchObject({ phase: "verifying", reason: "done", verified: true, evidence: [{ gate: "fresh-tests", verdict: "pass", evidence: { runner: "jest", trusted: true, passed: 3 } }] });
  });

  it("ends as unverified when the gate is not met and the mode does not stop it", () => {
    const { run, take } = codingRun({ mode: "observe", policies: [phaseTracker(), freshTests()] });
    take(edit("a"));
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: false });
    run.end();
    expect(run.outcome).toMatchObject({ reason: "done_unverified", verified: false });
  });

  it("knows who waived a gate, why and until when", () => {
    const { run, take, events } = codingRun({ mode: "gate", policies: [phaseTracker(), freshTests()] });
    take(edit("a"));
    run.waive("fresh-tests", { by: "user", name: "Ada", why: "docs only", until: 1e12 });
    expect(run.beforeFinish()).toMatchObject({ accept: true });
    expect(gateVerdicts(events)).toEqual([{ gate: "fresh-tests", verdict: "WAIVED", who: "Ada", why: "docs only", until: 1e12 }]);
  });
});

const facts = [read("a"), edit("a"), red, skip, green].map(finished);
for (const gate of [freshTests, nonEmptyDiff, testsNotWeakened, openTodos]) {
  describePolicy(() => gate(), { describe, it, graph: codingPhases, endless: endlessReads, facts: [...facts, { type: "todos.updated", todos: [{ text: "a", status: "pending" }] }, { type: "finish.requested" }] });
}
