import type { Interpreter, NewEvent, Policy, RunOptions } from "@phasekit/core";
import { deliveryInterpreter } from "@phasekit/reading";
import { describe, expect, it } from "vitest";
import {
  committed,
  checksKept,
  ciGreen,
  claimsTrue,
  testsFresh,
  gateVerdicts,
  diffNotEmpty,
  phaseTracker,
  pullRequestOpen,
  testsKept,
} from "../src/index.ts";
import type { CodingPhase } from "../src/phase-tracker.ts";
import { bash, codingRun, edit, read, reading, type Step } from "./coding-run.ts";

/** Reads everything but calls of one tool. */
const failing: Interpreter = {
  name: "failing",
  interpret: ({ tool }) => {
    if (tool === "opaque") throw new TypeError("name.startsWith is not a function");
    return undefined;
  },
};

const unread: Step = { tool: "opaque", output: "done" };
const green = bash("npx jest", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" });
const commit = bash("git commit -am x", { exitCode: 0, stdout: "" });
const ci = bash("gh run watch", { exitCode: 0, stdout: "completed" });
const pull = bash("gh pr create --fill", { exitCode: 0, stdout: "https://github.com/a/b/pull/1" });
const said: NewEvent = { type: "message.sent", text: "All tests pass." };
const lost = { type: "tool.finished", tool: "bash", outcome: "perhaps" } as unknown as NewEvent;

function answersOf(
  gate: Policy<never> | Policy,
  steps: readonly (Step | NewEvent)[],
  options: Partial<RunOptions<CodingPhase>> = {},
) {
  const asked = [true, false].map((tracked) => {
    const { run, take, events } = codingRun({
      mode: "gate",
      interpret: [reading(), deliveryInterpreter(), failing],
      policies: [...(tracked ? [phaseTracker()] : []), gate],
      ...options,
    });
    for (const step of steps) {
      if ("type" in step) run.record(step);
      else take(step);
    }
    const { accept } = run.beforeFinish();
    const [answer] = gateVerdicts(events);
    return { accept, verdict: answer?.verdict, ...(answer !== undefined && "why" in answer && { why: answer.why }) };
  });
  // With the tracker beside it and alone.
  expect(asked[0]).toEqual(asked[1]);
  return asked[0];
}

const MAY_HAVE_CHANGED = "After that, a call could not be read, and it may have changed something.";

describe("a call that could not be read", () => {
  const cases: readonly [gate: Policy<never> | Policy, steps: readonly (Step | NewEvent)[], answer: object][] = [
    [
      testsFresh(),
      [read("a.ts"), bash("ls", { exitCode: 0, stdout: "a.ts" }), unread],
      {
        accept: false,
        verdict: "FAIL",
        why: "No test ran after a call that could not be read and may have changed code.",
      },
    ],
    [
      testsFresh(),
      [unread, green],
      { accept: true, verdict: "PASS", why: "3 tests passed after the last edit (jest)." },
    ],
    [
      testsFresh(),
      [edit("a.ts"), green, unread],
      {
        accept: false,
        verdict: "FAIL",
        why: "No test ran after a call that could not be read and may have changed code.",
      },
    ],
    [testsFresh(), [unread, edit("a.ts"), green], { accept: true, verdict: "PASS" }],
    [testsFresh(), [unread, edit("README.md")], { verdict: "FAIL" }],
    [testsFresh(), [{ ...unread, denied: true }], { accept: true, verdict: "NOT_NEEDED" }],
    [testsFresh(), [lost], { verdict: "FAIL" }],
    [
      diffNotEmpty(),
      [unread],
      {
        accept: true,
        verdict: "UNAVAILABLE",
        why: "A call could not be read, so it is not known whether anything was changed.",
      },
    ],
    [diffNotEmpty(), [unread, { type: "workspace.observed", filesChanged: 0 }], { accept: false, verdict: "FAIL" }],
    [
      testsKept(),
      [edit("a.ts"), unread],
      { verdict: "CONCERNS", why: "A call could not be read, and it may have changed a test." },
    ],
    [
      claimsTrue(),
      [green, unread, said],
      {
        accept: false,
        verdict: "FAIL",
        why: "The agent says that the tests pass, but they did not run after a call that could not be read.",
      },
    ],
    [
      committed(),
      [edit("a.ts"), commit, unread],
      { verdict: "CONCERNS", why: `The changes are committed. ${MAY_HAVE_CHANGED}` },
    ],
    [
      committed(),
      [bash("git status", { exitCode: 0, stdout: "" }), unread],
      {
        verdict: "UNAVAILABLE",
        why: "Not checked: a call could not be read, so it is not known whether anything was changed.",
      },
    ],
    [committed(), [unread, edit("a.ts"), commit], { verdict: "PASS" }],
    [pullRequestOpen(), [pull, unread], { verdict: "PASS", why: "A pull request is open." }],
    [ciGreen(), [edit("a.ts"), ci, unread], { verdict: "CONCERNS", why: `CI is green. ${MAY_HAVE_CHANGED}` }],
    [ciGreen(), [unread], { verdict: "UNAVAILABLE" }],
    [
      checksKept(),
      [unread],
      { verdict: "CONCERNS", why: "A call could not be read, and it may have loosened a check." },
    ],
  ];
  it.each(
    cases.map(([gate, steps, answer]) => ({
      name: gate.name,
      calls: steps.map((step) => ("type" in step ? step.type : step.tool)).join(", "),
      ...{ gate, steps, answer },
    })),
  )("counts for $name after $calls", ({ gate, steps, answer }) => {
    expect(answersOf(gate, steps)).toMatchObject(answer);
  });

  it("is one that the redactor failed on", () => {
    const answer = answersOf(testsFresh(), [bash("echo x > src/a.ts", { exitCode: 0 })], {
      redact: () => {
        throw new RangeError("too long");
      },
    });
    expect(answer).toMatchObject({ verdict: "FAIL", why: expect.stringContaining("could not be read") as string });
  });

  it("is every call after an interpreter failed so often that it is not asked any more", () => {
    const always: Interpreter = {
      name: "always",
      interpret: () => {
        throw new TypeError("no");
      },
    };
    const looks = Array.from({ length: 5 }, (_, n) => read(`${String(n)}.ts`));
    for (const steps of [looks, [...looks, edit("a.ts")], [...looks, green, bash("echo x > a.ts")]])
      expect(answersOf(testsFresh(), steps, { interpret: always })).toEqual({
        // Nothing this run does could be read, so the agent cannot show its tests either.
        accept: true,
        verdict: "FAIL",
        why: "No test ran after a call that could not be read and may have changed code.",
      });
  });

  it("is every call after the tracker failed: its log has missed them", () => {
    const tracker = phaseTracker();
    const fold = tracker.observe?.["tool.finished"];
    const breaking: typeof tracker = {
      ...tracker,
      observe: {
        ...tracker.observe,
        "tool.finished": (state, event, run) => {
          if (event.tool === "edit_file") throw new RangeError("lost");
          fold?.(state, event, run);
        },
      },
    };
    const { run, take, events } = codingRun({ mode: "gate", policies: [breaking, testsFresh()] });
    take(read("a.ts"), edit("a.ts"));
    run.beforeFinish();
    expect(gateVerdicts(events)).toMatchObject([
      { verdict: "FAIL", why: "No test ran after a call that could not be read and may have changed code." },
    ]);
  });
});
