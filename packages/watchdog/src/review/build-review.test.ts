import { createRun, definePhaseGraph, type NewEvent, type PhaseSpec } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { buildReview } from "./build-review.ts";
import { budgetReview } from "./review.ts";

/** A run in one phase with a review policy, after some events. */
function runIn(phase: string, { spec = {}, events = [] }: { spec?: Partial<PhaseSpec>; events?: NewEvent[] } = {}) {
  const graph = definePhaseGraph<string>({ initial: phase, phases: { [phase]: { next: [], ...spec } } });
  const run = createRun<string>({ graph, policies: [budgetReview({ turns: 99 })] });
  for (const event of events) run.record(event);
  return run;
}

/** The text between a heading and the next one. */
function section(text: string, heading: string): string {
  return (
    text
      .split(/^## /m)
      .find((part) => part.startsWith(heading))
      ?.split("\n")
      .slice(1)
      .join("\n")
      .trim() ?? ""
  );
}

const call = (output: string, outcome: "ok" | "error" = "ok") =>
  ({ type: "tool.finished", tool: "bash", input: { command: "make" }, outcome, output }) as const;

describe("buildReview", () => {
  it("a request for a run of which nothing is known", () => {
    // A sentence a line.
    expect(buildReview(runIn("coding").view).replaceAll(". ", ".\n")).toMatchInlineSnapshot(`
      "# Review request

      The budget of the phase is used up.
      The run has taken 0 iterations and 0 turns in phase "coding".
      How should it continue?

      ## Task

      - Id: none
      - Kind: none

      No text.

      ## Plan

      None was declared.

      ## What the numbers say

      Too little activity to see a pattern.

      ## Recent context (0 messages, newest last; at most 8000 characters, about 2000 tokens)

      \`\`\`\`

      \`\`\`\`

      ## How to answer

      The agent changes code.
      Look for:
      - tests or builds failing the same way: name the change that is missing;
      - a missing dependency or tool: say how to get it, or what to do without it;
      - a finding above: examine the errors in the recent context and name their cause.

      Answer with one of: approve, needs-changes, reject.
      While something above is marked ALERT, an approval without guidance is not accepted, and praise is not guidance.
      Give guidance in sentences of these forms:
      - Stop doing X, because Y.
      - X is unnecessary here, because Z.
      - Use W instead."
    `);
  });

  it("a request with a task, a budget, a streak and a remark", () => {
    const run = createRun({ task: { id: "T-7", kind: "app", text: "Add a cache." } });
    const text = buildReview(run.view, { budget: 4, turns: 5, streak: 2, remark: "Look again.", why: "Stuck." });
    expect(text).toContain(
      'Stuck. The run has taken 0 iterations and 5 turns in phase "working"; a review is due after every 4.',
    );
    expect(section(text, "Task")).toBe("- Id: T-7\n- Kind: app\n\nAdd a cache.");
    expect(section(text, "How to answer").split("\n").slice(0, 5)).toEqual([
      'This would be the 3rd "needs changes" in a row. If the advice is not followed, prefer to reject.',
      "",
      "Look again.",
      "",
      "The agent changes code. Look for:",
    ]);
  });

  it.each([
    [1, "1st"],
    [2, "2nd"],
    [3, "3rd"],
    [4, "4th"],
    [10, "10th"],
    [11, "11th"],
    [12, "12th"],
    [13, "13th"],
    [14, "14th"],
    [21, "21st"],
    [111, "111th"],
  ])("request %i is the %s", (count, word) => {
    expect(buildReview(runIn("coding").view, { streak: count - 1, warnAt: 1 })).toContain(`This would be the ${word} `);
  });

  it.each<[string, Partial<PhaseSpec>, boolean]>([
    ["coding", {}, false],
    ["Planning", {}, true],
    ["exploring", {}, true],
    ["analysis", {}, true],
    ["triage", {}, true],
    ["design", {}, true],
    ["review", { activities: { deny: ["edit"] } }, true],
    ["review", { activities: { deny: ["run"] } }, false],
    ["review", { activities: { deny: ["run", "edit"] } }, true],
  ])("phase %s with %j is one of looking: %s", (phase, spec, looks) => {
    const text = buildReview(runIn(phase, { spec }).view);
    expect(text.includes("The agent explores and plans; it does not change anything yet.")).toBe(looks);
    expect(text.includes("The agent changes code.")).toBe(!looks);
  });

  it("the context has what agent, user and Phasekit said, calls with their results, and refusals", () => {
    const run = runIn("coding", {
      events: [
        { type: "message.received", text: "Fix it." },
        { type: "message.received", from: "reviewer", text: "Hurry." },
        { type: "message.sent", text: "On it." },
        call("  boom\n\n at line 3  ", "error"),
        call("x".repeat(151)),
        call("y".repeat(150)),
      ],
    });
    expect(section(buildReview(run.view), "Recent context").split("\n").slice(1, -1)).toEqual([
      "user: Fix it.",
      "reviewer: Hurry.",
      "agent: On it.",
      "bash → [error] boom at line 3",
      `bash → ${"x".repeat(150)}...`,
      `bash → ${"y".repeat(150)}`,
    ]);
  });

  it("a refused call is in the context in mode gate, where it was refused", () => {
    for (const mode of ["gate", "nudge"] as const) {
      const graph = definePhaseGraph({ initial: "ask", phases: { ask: { next: [], tools: { deny: ["bash"] } } } });
      const run = createRun({ graph, mode, policies: [budgetReview({ turns: 9 })] });
      run.beforeTool({ tool: "bash", input: { command: "make" } });
      const context = section(buildReview(run.view), "Recent context");
      expect(context.includes("bash → [refused] ")).toBe(mode === "gate");
    }
  });

  it.each<[NewEvent, string]>([
    [{ type: "plan.declared", text: "First the cache." }, "First the cache."],
    [{ type: "plan.declared", steps: 4 }, "4 steps"],
    [{ type: "plan.declared" }, "0 steps"],
    [
      {
        type: "todos.updated",
        todos: [
          { id: "1", status: "completed", text: "Read" },
          { id: "2", status: "pending" },
        ],
      },
      "- [completed] Read\n- [pending]",
    ],
  ])("the plan of %j is %j", (event, plan) => {
    expect(section(buildReview(runIn("coding", { events: [event] }).view), "Plan")).toBe(plan);
  });

  it("a message that fills the limit to the last character is shown", () => {
    const line = "bash → ok";
    for (const characters of [line.length, line.length - 1]) {
      const run = createRun({ policies: [budgetReview({ characters })] });
      run.record(call("ok"));
      expect(buildReview(run.view).includes(line)).toBe(characters === line.length);
    }
  });
});
