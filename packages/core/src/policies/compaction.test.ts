import { describe, expect, it } from "vitest";
import type { NewEvent } from "../events/run-event.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { createRun, type Run } from "../run/run.ts";
import { describePolicy } from "../testing/describe-policy.ts";
import { manualClock } from "../testing/build-run.ts";
import { compactionLimit } from "./compaction-limit.ts";
import { compactionReminder } from "./compaction-reminder.ts";
import { review, veto } from "./decision.ts";
import { definePolicy } from "./policy.ts";

const graph = definePhaseGraph({
  initial: "plan",
  phases: {
    plan: { purpose: "Decide what to change.", next: ["act"] },
    act: { purpose: "Change it.", next: ["review"] },
    review: { next: [], final: true },
  },
  required: [{ after: "act", visit: "review", before: "end" }],
});

const compacted: NewEvent = { type: "context.compacted", trigger: "auto" };
const cycle: readonly NewEvent[] = [
  { type: "plan.declared", text: "a plan" },
  compacted,
  { type: "turn.started" },
  { type: "todos.updated", todos: [{ text: "Write a test", status: "pending" }] },
];
const events = [...cycle, ...cycle, ...cycle];

describePolicy(compactionReminder, { describe, it, events, graph });
describePolicy(() => compactionLimit(), { describe, it, events });

describe("compactionReminder", () => {
  const start = (): Run<"plan" | "act" | "review"> =>
    createRun({
      graph,
      mode: "gate",
      task: { text: "Fix the sum." },
      policies: [compactionReminder(), asking, gate],
      clock: manualClock().now,
    });
  const asking = definePolicy({
    name: "asking",
    decide: { "turn.started": ({ turn }) => (turn === 1 ? review({ kind: "plan", text: "Good?" }) : undefined) },
  });
  const gate = definePolicy({ name: "gate", decide: { "finish.requested": () => veto("Run the tests first.") } });

  it("restates phase, plan, decisions and what is owed, in the turn after the compaction", () => {
    const run = start();
    const { review: asked } = run.beforeTurn();
    run.record({ type: "plan.declared", text: "First the parser, then the tests." });
    run.transition("act", { by: "agent", summary: "The parser drops a digit." });
    run.record({
      type: "review.finished",
      review: asked?.review ?? "",
      verdict: "approve",
      feedback: "Keep the public names.",
    });
    run.record({
      type: "todos.updated",
      todos: [
        { text: "Write a test", status: "pending" },
        { text: "Read the parser", status: "completed" },
      ],
    });
    run.record({ type: "model.answered" });
    run.record(compacted);
    expect(run.beforeTurn().message).toMatchInlineSnapshot(`
      "<phasekit>
      The conversation was shortened. This still holds:
      Task: Fix the sum.
      Phase: "act", for 1 turn. Change it.
      Plan: First the parser, then the tests.
      Decided:
      - Moved from "plan" to "act". The parser drops a digit.
      - Review: approve. Keep the public names.
      Still owed:
      - The phase "review".
      - To do: Write a test
      Continue from here; do not plan again what is planned.
      </phasekit>"
    `);
  });

  it("says it once per compaction", () => {
    const run = start();
    const messages = [undefined, compacted, undefined, compacted, undefined].map((event) => {
      if (event !== undefined) run.record(event);
      const { message } = run.beforeTurn();
      run.record({ type: "model.answered" });
      return message !== undefined;
    });
    expect(messages).toEqual([false, true, false, true, false]);
  });

  it("counts compactions in the view", () => {
    const run = start();
    run.record(compacted);
    run.record(compacted);
    expect(run.view.compactions).toBe(2);
  });

  it("repeats what a gate asked for, until the next finish", () => {
    const run = start();
    run.beforeTurn();
    run.beforeFinish();
    run.record(compacted);
    expect(run.beforeTurn().message).toContain("Still owed:\n- Run the tests first.");
  });
});

describe("compactionLimit", () => {
  const read = (path: string): NewEvent => ({
    type: "tool.finished",
    tool: "read_file",
    outcome: "ok",
    input: { path },
  });
  const edit: NewEvent = { type: "tool.finished", tool: "edit_file", outcome: "ok", input: { path: "a.ts" } };
  const planned: NewEvent = { type: "plan.declared", text: "a plan" };

  const play = (events: readonly NewEvent[], mode: "nudge" | "gate" = "gate"): Run => {
    const run = createRun<string>({ mode, policies: [compactionLimit()], clock: manualClock().now });
    for (const event of events) run.record(event);
    return run;
  };
  const alertsOf = (run: Run): readonly number[] => [...run.view.alerts.values()].map(({ count }) => count);

  it.each<{ readonly what: string; readonly events: readonly NewEvent[]; readonly alerts: readonly number[] }>([
    { what: "one plan and one compaction", events: [planned, compacted], alerts: [] },
    { what: "a plan, a compaction, the plan again", events: [planned, compacted, planned, compacted], alerts: [2] },
    {
      what: "the same files read again after each compaction",
      events: [read("a"), compacted, read("a"), compacted, read("a"), compacted],
      alerts: [2],
    },
    {
      what: "other files read after each compaction",
      events: [read("a"), compacted, read("b"), compacted, read("c"), compacted],
      alerts: [],
    },
    {
      what: "a change that landed in between",
      events: [planned, compacted, planned, edit, compacted, planned, compacted],
      alerts: [],
    },
    { what: "compactions alone", events: [compacted, compacted, compacted], alerts: [] },
  ])("$what: $alerts", ({ events, alerts }) => {
    expect(alertsOf(play(events))).toEqual(alerts);
  });

  it("nudges at two cycles and stops at three, in mode gate only", () => {
    const twice = [planned, compacted, planned, compacted];
    expect(play(twice).beforeTurn().message).toContain("shortened 2 times");
    const thrice = [...twice, planned, compacted];
    expect(play(thrice).view.stopped).toMatchObject({ reason: "aborted_stagnation", how: "wrap-up" });
    expect(play(thrice, "nudge").view.stopped).toBeUndefined();
  });

  it("clears its alert after a change", () => {
    const run = play([planned, compacted, planned, compacted]);
    run.record(edit);
    run.beforeTurn();
    expect(alertsOf(run)).toEqual([]);
  });

  it.each([{ nudgeAt: 0 }, { stopAt: Number.NaN }])("refuses %j", (options) => {
    expect(() => compactionLimit(options)).toThrow(/not a number of at least 1/);
  });
});
