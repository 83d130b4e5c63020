import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { describePolicy } from "../testing.ts";
import { phaseTimeout } from "./phase-timeout.ts";

const graph = definePhaseGraph({
  initial: "plan",
  phases: { plan: { next: ["code"], timeoutMs: 500 }, code: { next: ["plan"] } },
});

describe("phaseTimeout", () => {
  it.each([
    { at: 1499, timedOut: false },
    { at: 1500, timedOut: true },
    { at: 9999, timedOut: true },
  ])("phaseTimeout at $at with 500 ms from 1000, timed out: $timedOut", ({ at, timedOut }) => {
    for (const input of [
      { type: "tool.finished", tool: "Read", outcome: "ok", at },
      { type: "model.answered", at },
      { type: "turn.started", at },
      { type: "clock.ticked", at },
    ] as const) {
      const { run, of } = loggedRun({ graph });
      run.record(input);
      expect(of("phase.timed-out"), input.type).toMatchObject(
        timedOut ? [{ by: "phase-timeout", phase: "plan", entry: "plan#1", limitMs: 500 }] : [],
      );
    }
  });

  it.each([
    { mode: "nudge", applied: false },
    { mode: "gate", applied: true },
  ] as const)("phaseTimeout in mode $mode wraps the run up: $applied", ({ mode, applied }) => {
    const { run, of } = loggedRun({ graph, mode });
    run.record({ type: "model.answered", at: 2000 });
    expect(of("stop.requested")).toMatchObject([
      {
        reason: "phase_timeout",
        how: "wrap-up",
        applied,
        text: 'The phase "plan" took longer than it may. Use no more tools; say what is done and what is missing.',
      },
    ]);
    expect(run.beforeTurn().wrapUp).toBe(applied);
  });

  it("phaseTimeout is recorded once per entry, nudges the agent, and again in the next entry", () => {
    const { run, of } = loggedRun({ graph });
    for (const at of [2000, 3000, 4000]) run.record({ type: "model.answered", at });
    expect(run.beforeTurn({ at: 4100 }).nudges.map(({ text }) => text)).toEqual([
      'You have been in the phase "plan" longer than it should take. Finish it now, or say what blocks you.',
    ]);
    expect(of("phase.timed-out")).toHaveLength(1);
    run.transition("code");
    run.record({ type: "model.answered", at: 99_000 });
    expect(of("phase.timed-out")).toHaveLength(1);
    run.transition("plan");
    run.record({ type: "model.answered", at: 99_600 });
    expect(of("phase.timed-out").map(({ entry }) => entry)).toEqual(["plan#1", "plan#2"]);
  });

  it("phaseTimeout wakes the host in time; suspended time is not charged", () => {
    const { run, clock } = loggedRun({ graph });
    expect(run.wakeAt).toBe(1500);
    clock.advance(200);
    run.suspend();
    expect(run.wakeAt).toBeUndefined();
    clock.advance(5000);
    run.resume();
    expect(run.wakeAt).toBe(6500);
    expect(run.tick(6499)).toBe(false);
    expect(run.tick(6500)).toBe(true);
    expect(run.wakeAt).toBeUndefined();
    run.transition("code");
    expect(run.wakeAt).toBeUndefined();
    run.transition("plan");
    expect(run.wakeAt).toBe(run.view.now + 500);
  });
});

describePolicy(phaseTimeout, {
  describe,
  it,
  graph,
  events: [
    { type: "turn.started", at: 1100 },
    { type: "model.answered", at: 1600 },
    { type: "turn.started", at: 1700 },
    { type: "move.requested", do: "transition", to: "code", by: "user" },
    { type: "clock.ticked", at: 9000 },
  ],
});
