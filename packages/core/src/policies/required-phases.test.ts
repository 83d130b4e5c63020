import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { describePolicy } from "../testing.ts";
import { requiredPhases } from "./required-phases.ts";

const graph = definePhaseGraph({
  initial: "talk",
  phases: {
    talk: { next: ["execute"] },
    execute: { next: ["verify", "talk"] },
    verify: { next: ["chores", "execute"] },
    chores: { next: ["talk"] },
  },
  required: [
    { after: "execute", visit: "verify", before: "end" },
    { after: "execute", visit: "verify", before: "chores" },
    { after: "verify", visit: "chores", before: "end", when: "completed" },
  ],
});
type Phase = keyof typeof graph.phases;

describe("requiredPhases", () => {
  it.each<{ path: readonly Phase[]; owed: readonly string[] }>([
    { path: [], owed: [] },
    { path: ["execute"], owed: ["verify"] },
    { path: ["execute", "talk"], owed: ["verify"] },
    { path: ["execute", "verify"], owed: ["chores"] },
    { path: ["execute", "verify", "chores"], owed: [] },
    { path: ["execute", "verify", "chores", "talk", "execute"], owed: ["verify"] },
  ])("requiredPhases after $path owes $owed", ({ path, owed }) => {
    const { run, of } = loggedRun({ graph, mode: "gate" });
    for (const phase of path) expect(run.transition(phase)).toBe(true);
    const answer = run.beforeFinish();
    expect(answer.accept).toBe(owed.length === 0);
    expect(of("finish.vetoed").map(({ by, gate, evidence }) => [by, gate, evidence])).toEqual(
      owed.length === 0 ? [] : [["required-phases", "required-phases", { owed }]],
    );
    if (answer.accept) expect(answer.verified).toBe(false);
  });

  it("requiredPhases does not object to a visit owed only before a phase, and says that nothing is owed", () => {
    const between = definePhaseGraph({
      initial: "a",
      phases: { a: { next: ["b"] }, b: { next: ["c", "d"] }, c: { next: [] }, d: { next: [] } },
      required: [
        { after: "a", visit: "c", before: "d" },
        { after: "b", visit: "c", before: "d", when: "completed" },
      ],
    });
    const { run, of } = loggedRun({ graph: between, mode: "gate" });
    run.transition("b");
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: false });
    expect(of("finish.vouched")).toMatchObject([{ verdict: "met", why: "Every required phase was visited." }]);
  });

  it("requiredPhases names every missing phase", () => {
    const both = definePhaseGraph({
      initial: "a",
      phases: { a: { next: ["b", "c"] }, b: { next: [] }, c: { next: [] } },
      required: [
        { after: "a", visit: "b", before: "end" },
        { after: "a", visit: "c", before: "end" },
      ],
    });
    expect(loggedRun({ graph: both, mode: "gate" }).run.beforeFinish()).toMatchObject({
      text: expect.stringContaining('go through: "b", "c".') as string,
    });
  });

  it("requiredPhases says what is missing", () => {
    const { run } = loggedRun({ graph, mode: "gate" });
    run.transition("execute");
    run.transition("verify");
    expect(run.beforeFinish()).toMatchObject({
      text: '<phasekit>\nBefore this can end, the work still has to go through: "chores".\n</phasekit>',
    });
  });

  it("requiredPhases names a phase once, though two rules ask for it", () => {
    const twice = definePhaseGraph({
      initial: "a",
      phases: { a: { next: ["b"] }, b: { next: ["a"] } },
      required: [
        { after: "a", visit: "b", before: "end" },
        { after: "a", visit: "b", before: "end", when: "completed" },
      ],
    });
    const { run, of } = loggedRun({ graph: twice });
    run.beforeFinish();
    expect(of("finish.vetoed")[0]).toMatchObject({ evidence: { owed: ["b"] } });
  });

  it("requiredPhases accepts a phase skipped by a user or judge", () => {
    const { run } = loggedRun({ graph, mode: "gate" });
    run.transition("execute");
    run.skip("verify", { why: "a typo" });
    expect(run.beforeFinish()).toMatchObject({ accept: true, unmet: [] });
  });
});

describePolicy(requiredPhases, {
  describe,
  it,
  graph,
  events: [
    { type: "finish.requested" },
    { type: "move.requested", do: "transition", to: "execute", by: "user" },
    { type: "finish.requested" },
    { type: "tool.finished", tool: "Read", outcome: "ok" },
    { type: "finish.requested" },
  ],
});
