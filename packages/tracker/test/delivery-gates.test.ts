import { codingPhases, createRun, type NewEvent, type Policy } from "@phasekit/core";
import { describePolicy } from "@phasekit/core/testing";

import { deliveryInterpreter, reading } from "@phasekit/reading";
import { describe, expect, it } from "vitest";
import { bash, edit, endlessReads, finished, read, type Step } from "./coding-run.ts";
import { claimsTrue } from "../src/gates/claims-true.ts";
import { committed, pushed, checksKept, ciGreen, pullRequestOpen } from "../src/gates/delivery-gates.ts";
import { readClaims } from "../src/gates/read-claims.ts";

/** The answer of one gate after some work: its verdict, its sentence, and whether the agent may finish. */
function ask(gate: unknown, steps: readonly (Step | NewEvent)[], text = "done") {
  const run = createRun({
    graph: codingPhases,
    mode: "gate",
    interpret: [reading(), deliveryInterpreter()],
    policies: [gate as Policy],
  });
  for (const step of steps) run.record("type" in step ? step : finished(step));
  const { accept, evidence } = run.beforeFinish({ text });
  const [found] = evidence.gates;
  return { accept, verdict: found?.verdict, why: found?.why };
}

const commit = bash("git commit -am x", { exitCode: 0 });
const push = bash("git push", { exitCode: 0 });
const open = bash("gh pr create --fill", { exitCode: 0 });
const green = bash("gh pr checks --watch", { exitCode: 0 });
const status = bash("git status", { exitCode: 0 });

describe("delivery gates", () => {
  it.each<
    [
      gate: () => Policy,
      what: string,
      answers: readonly [steps: readonly (Step | NewEvent)[], verdict: string | undefined],
    ]
  >([
    [committed, "nothing changed", [[read("a")], undefined]],
    [committed, "changed and committed", [[edit("a.ts"), commit], "met"]],
    [committed, "changed after the commit", [[edit("a.ts"), commit, edit("a.ts")], "fail"]],
    [committed, "changed, git used, no commit", [[edit("a.ts"), status], "fail"]],
    [committed, "changed, no git at all", [[edit("a.ts")], "unavailable"]],
    [committed, "a commit that failed", [[edit("a.ts"), bash("git commit -am x", { exitCode: 1 }, false)], "fail"]],
    [
      committed,
      "a clean tree with commits, from the host",
      [[edit("a.ts"), { type: "workspace.observed", filesChanged: 0, commits: 1 }], "met"],
    ],
    [pushed, "committed and pushed", [[edit("a.ts"), commit, push], "met"]],
    [pushed, "committed after the push", [[edit("a.ts"), push, commit], "fail"]],
    [
      pushed,
      "pushed by the host",
      [[edit("a.ts"), commit, { type: "check.finished", check: "push", outcome: "success" }], "met"],
    ],
    [pullRequestOpen, "opened before the last commit", [[edit("a.ts"), commit, open, edit("a.ts"), commit], "met"]],
    [pullRequestOpen, "never opened", [[edit("a.ts"), commit, push], "fail"]],
    [ciGreen, "never asked", [[edit("a.ts"), commit, push], "unavailable"]],
    [ciGreen, "green after the last change", [[edit("a.ts"), commit, push, green], "pass"]],
    [ciGreen, "green before the last change", [[edit("a.ts"), push, green, edit("a.ts")], "fail"]],
    [ciGreen, "red", [[edit("a.ts"), { ...bash("gh run watch --exit-status", { exitCode: 1 }), ok: false }], "fail"]],
    [
      ciGreen,
      "red, from the host",
      [[edit("a.ts"), { type: "check.finished", check: "ci", outcome: "failure" }], "fail"],
    ],
    [
      ciGreen,
      "broken, from the host",
      [[edit("a.ts"), { type: "check.finished", check: "ci", outcome: "exception" }], "unavailable"],
    ],
  ])("%o, %s", (gate, _what, [steps, verdict]) => {
    expect(ask(gate(), steps).verdict).toBe(verdict);
  });

  it("a delivery gate sends the agent back, or only objects", () => {
    const work = [edit("a.ts"), status];
    expect(ask(committed(), work).accept).toBe(false);
    expect(ask(committed({ sendBack: false }), work)).toEqual({
      accept: true,
      verdict: "fail",
      why: "There are changes after the last commit.",
    });
  });

  it("a check that cannot run is stated in the evidence", () => {
    expect(ask(ciGreen(), [edit("a.ts")])).toEqual({
      accept: true,
      verdict: "unavailable",
      why: "CI was not checked: no result was seen or reported.",
    });
  });
});

describe("checksKept", () => {
  const change = (file: string, from: string, to: string): Step => ({
    tool: "Edit",
    args: { file_path: file, old_string: from, new_string: to },
  });
  it.each<[what: string, step: Step, why: string | undefined]>([
    [
      "a rule is switched off",
      change("eslint.config.js", '"no-undef": "error"', '"no-undef": "off"'),
      "a rule is switched off",
    ],
    ["a rule is switched on", change("eslint.config.js", '"no-undef": "off"', '"no-undef": "error"'), undefined],
    [
      "CI ignores failures",
      change(".github/workflows/ci.yml", "- run: npm test", "- run: npm test\n  continue-on-error: true"),
      "failures are ignored",
    ],
    [
      "CI ignores an exit code",
      change(".github/workflows/ci.yml", "npm test", "npm test || true"),
      "an exit code is ignored",
    ],
    ["types are loose", change("tsconfig.json", '"strict": true', '"strict": false'), "strict types are switched off"],
    ["another file", change("src/a.ts", '"strict": true', '"strict": false'), undefined],
    ["hooks are skipped", bash("git commit --no-verify -m x", { exitCode: 0 }), "hooks were skipped"],
  ])("%s", (_what, step, why) => {
    const answer = ask(checksKept(), [edit("a.ts"), step]);
    expect([answer.accept, answer.verdict]).toEqual([true, why === undefined ? "met" : "fail"]);
    if (why !== undefined) expect(answer.why).toContain(why);
  });
});

describe("readClaims", () => {
  it.each<[text: string, claims: boolean]>([
    ["Done. All tests pass.", true],
    ["All 23 tests are passing now!", true],
    ["The test suite is green", true],
    ["It passes all the existing tests", true],
    ["The tests should pass now.", false],
    ["Not all tests pass.", false],
    ["I could not run the tests.", false],
    ["Run the tests to make sure they pass.", false],
    ["Do the tests pass?", false],
    ["2 tests failed, 3 passed", false],
    ["I fixed the bug.", false],
  ])("%j claims that the tests pass: %s", (text, claims) => {
    expect(readClaims(text).length > 0).toBe(claims);
  });

  it("readClaims looks at the end of a long text only", () => {
    const began = process.cpuUsage().user;
    expect(readClaims(`${"tests ".repeat(200_000)}\nAll tests pass.`)).toEqual([{ claim: "tests-pass" }]);
    expect(process.cpuUsage().user - began).toBeLessThan(500_000);
  });
});

describe("claimsTrue", () => {
  const passed = bash("npx jest", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" });
  const failed = bash("npx jest", { exitCode: 1, stdout: "Tests:       1 failed, 2 passed, 3 total" }, false);
  const program = bash("python repro.py", { exitCode: 0, stdout: "ok" });
  it.each<{ what: string; steps: readonly Step[]; verdict: string | undefined; accept: boolean }>([
    { what: "nothing was changed", steps: [read("a")], verdict: undefined, accept: true },
    { what: "the tests passed", steps: [edit("a.ts"), passed], verdict: "met", accept: true },
    { what: "the tests failed", steps: [edit("a.ts"), failed], verdict: "fail", accept: true },
    { what: "no test ran, a program did", steps: [edit("a.ts"), program], verdict: "doubt", accept: true },
    { what: "nothing ran", steps: [edit("a.ts")], verdict: "fail", accept: false },
    {
      what: "nothing ran after the last edit",
      steps: [edit("a.ts"), passed, edit("a.ts")],
      verdict: "fail",
      accept: false,
    },
  ])("claimsTrue compares a claim with the events: $what", ({ steps, verdict, accept }) => {
    expect(ask(claimsTrue(), steps, "Done. All tests pass.")).toMatchObject({ verdict, accept });
    expect(ask(claimsTrue(), steps, "I am done.").verdict).toBeUndefined();
  });

  it("claimsTrue reads the last message too", () => {
    const said: NewEvent = { type: "message.sent", text: "All tests pass." };
    expect(ask(claimsTrue(), [edit("a.ts"), said], "").why).toBe(
      "The agent says that the tests pass, but no test run was seen.",
    );
  });
});

for (const gate of [committed, pushed, pullRequestOpen, ciGreen, checksKept, claimsTrue]) {
  describePolicy(() => gate(), {
    describe,
    it,
    graph: codingPhases,
    endless: endlessReads,
    events: [...[read("a"), edit("a"), commit, push, green].map(finished), { type: "finish.requested" }],
  });
}
