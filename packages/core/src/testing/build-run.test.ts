import { describe, expect, it } from "vitest";
import { nudge, refuse, stop } from "../policies/decision.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { definePolicy } from "../policies/policy.ts";
import { buildEvents, buildRun, decideOn, manualClock } from "./build-run.ts";

const graph = definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: [] } } });
const policy = definePolicy({
  name: "p",
  initial: () => ({ limit: 2 }),
  decide: {
    "turn.started": (run, { limit }) => (run.turnsInPhase > limit ? nudge(`more than ${String(limit)}`) : undefined),
    "tool.requested": (_run, _state, { tool, meaning }) =>
      tool === "Bash" && meaning.activity === undefined ? [refuse("no"), stop()] : undefined,
  },
});

describe("manualClock", () => {
  it("manualClock is still unless it is moved, or steps with every reading", () => {
    const still = manualClock();
    expect([still.now(), still.now()]).toEqual([1000, 1000]);
    still.advance(5);
    expect(still.now()).toBe(1005);
    const stepping = manualClock({ start: 0, step: 10 });
    expect([stepping.now(), stepping.now(), stepping.now()]).toEqual([0, 10, 20]);
  });
});

describe("buildEvents", () => {
  it("buildEvents returns the log of a list of events, with what policies derive from them", () => {
    const turns = Array.from({ length: 3 }, () => ({ type: "turn.started" as const }));
    const events = buildEvents(turns, { policies: [policy] });
    expect(events.map(({ type, seq, at }) => [type, seq, at])).toEqual([
      ["run.started", 1, 1000],
      ["turn.started", 2, 1001],
      ["turn.started", 3, 1002],
      ["turn.started", 4, 1003],
      ["nudge.sent", 5, 1003],
    ]);
    expect(buildEvents(turns, { policies: [policy] })).toEqual(events);
    expect(buildEvents([], { graph, id: "other" })[0]).toMatchObject({ run: "other", phase: "a" });
    expect(buildEvents([{ type: "turn.started" }])).toHaveLength(2);
  });
});

describe("buildRun", () => {
  it("buildRun returns the view a policy would read after the events, with members replaced", () => {
    const run = buildRun({
      graph,
      mode: "gate",
      task: { text: "t" },
      item: { id: "i" },
      policies: [policy],
      events: [{ type: "turn.started" }],
      turnsInPhase: 9,
    });
    expect(run).toMatchObject({
      turn: 1,
      turnsInPhase: 9,
      phase: "a",
      mode: "gate",
      task: { text: "t" },
      item: { id: "i" },
    });
    expect(run.isIn("a")).toBe(true);
    expect(run.canMove("b")).toBe(true);
    expect(buildRun()).toMatchObject({ turn: 0, phase: "working" });
  });
});

describe("decideOn", () => {
  it("decideOn asks a policy about one event, by default the start of a turn", () => {
    expect(decideOn(policy, buildRun({ turnsInPhase: 2 }))).toEqual([]);
    expect(decideOn(policy, buildRun({ turnsInPhase: 3 }))).toMatchObject([{ decision: "nudge", text: "more than 2" }]);
    expect(decideOn(policy, buildRun({ turnsInPhase: 3 }), { state: { limit: 5 } })).toEqual([]);
    expect(
      decideOn(policy, buildRun(), { event: { type: "tool.requested", tool: "Bash" } }).map(({ decision }) => decision),
    ).toEqual(["refuse", "stop"]);
    expect(
      decideOn(policy, buildRun(), { event: { type: "tool.requested", tool: "Bash", meaning: { activity: "run" } } }),
    ).toEqual([]);
    expect(decideOn(policy, buildRun(), { event: { type: "plan.declared" } })).toEqual([]);
    expect(decideOn(definePolicy({ name: "idle" }), buildRun())).toEqual([]);
  });
});
