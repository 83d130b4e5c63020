import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { buildRun, decideOn, describePolicy } from "../testing.ts";
import { stallReminder } from "./stall-reminder.ts";

const graph = definePhaseGraph({
  initial: "plan",
  phases: { plan: { next: ["code"], maxTurns: 3 }, code: { next: ["plan"] } },
});

describe("stallReminder", () => {
  it.each([
    { options: {}, turnsInPhase: 7, speaks: false },
    { options: {}, turnsInPhase: 8, speaks: true },
    { options: { afterTurns: 2 }, turnsInPhase: 1, speaks: false },
    { options: { afterTurns: 2 }, turnsInPhase: 2, speaks: true },
    { options: { afterTurns: 0 }, turnsInPhase: 1, speaks: true },
    { options: { afterTurns: Infinity }, turnsInPhase: 9999, speaks: false },
  ])(
    "stallReminder with $options when turn $turnsInPhase of a phase begins, nudges: $speaks",
    ({ options, turnsInPhase, speaks }) => {
      expect(decideOn(stallReminder(options), buildRun({ turnsInPhase })).length > 0).toBe(speaks);
    },
  );

  it("stallReminder says how many turns were taken, where, and what to do", () => {
    expect(decideOn(stallReminder({ afterTurns: 8 }), buildRun({ turnsInPhase: 8 }))).toMatchObject([
      { decision: "nudge", text: '8 turns in "working". Finish it, or say what blocks you.' },
    ]);
  });

  it("a phase's own maxTurns overrides stallReminder, and adds it automatically", () => {
    const { run, of } = loggedRun({ graph });
    for (let n = 0; n < 10; n += 1) run.record({ type: "turn.started" });
    expect(of("nudge.sent").map(({ by, turn }) => [by, turn])).toEqual([["stall-reminder", 4]]);
    run.transition("code");
    for (let n = 0; n < 40; n += 1) run.record({ type: "turn.started" });
    expect(of("nudge.sent")).toHaveLength(1);
  });

  it("stallReminder counts the turns of this phase entry, not of earlier ones", () => {
    const { run, of } = loggedRun({ graph });
    for (let n = 0; n < 3; n += 1) run.record({ type: "turn.started" });
    run.transition("code");
    run.transition("plan");
    for (let n = 0; n < 3; n += 1) run.record({ type: "turn.started" });
    expect(of("nudge.sent")).toEqual([]);
  });
});

describePolicy(() => stallReminder({ afterTurns: 2 }), {
  describe,
  it,
  events: Array.from({ length: 8 }, () => ({ type: "turn.started" as const })),
});
