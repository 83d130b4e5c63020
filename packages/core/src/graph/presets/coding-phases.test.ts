import { describe, expect, it } from "vitest";
import { checkGraph } from "../check-graph.ts";
import { edgesFrom, type PhaseSpec } from "../phase-graph.ts";
import { codingPhases } from "./coding-phases.ts";

const phases: readonly (readonly [string, PhaseSpec])[] = Object.entries(codingPhases.phases);
const names = phases.map(([name]) => name);

describe("codingPhases", () => {
  it("codingPhases has no issues", () => {
    expect(checkGraph(codingPhases)).toEqual([]);
    expect(names).toEqual(["exploring", "planning", "acting", "verifying", "delivering", "answering"]);
    expect(codingPhases.initial).toBe("exploring");
  });

  it.each([
    ["planning", ["acting", "exploring", "delivering", "answering"]],
    ["acting", ["verifying", "exploring", "delivering", "answering"]],
    ["verifying", ["acting", "exploring", "delivering", "answering"]],
    ["delivering", ["acting", "verifying", "exploring", "planning", "answering"]],
    ["answering", ["exploring", "planning", "acting", "verifying", "delivering"]],
  ])("%s leads to %j and nowhere else", (from, allowed) => {
    expect(edgesFrom(codingPhases, from)).toEqual(allowed.map((to) => ({ to })));
  });

  it("codingPhases lets only policies go from exploring straight to verifying, to reproduce before a change", () => {
    expect(edgesFrom(codingPhases, "exploring")).toEqual([
      { to: "planning" },
      { to: "acting" },
      { to: "delivering" },
      { to: "answering" },
      { to: "verifying", by: ["policy"] },
    ]);
  });

  it.each(phases)("%s is described, may end a run, and has neither guidance nor denials", (_name, phase) => {
    expect(phase).toMatchObject({ final: true, purpose: expect.any(String) as string });
    for (const list of [phase.entry, phase.work, phase.exit]) expect(list?.length).toBeGreaterThan(0);
    expect(Object.keys(phase).sort()).toEqual(["entry", "exit", "final", "next", "purpose", "work"]);
  });

  it.each([
    ["read", ["exploring"]],
    ["search", ["exploring"]],
    ["plan", ["planning"]],
    ["edit", ["acting"]],
    ["test", ["verifying"]],
    ["build", ["verifying"]],
    ["lint", ["verifying"]],
    ["run", []],
    ["other", []],
    ["vcs-write", []],
  ])("%s leads into %j", (activity, expected) => {
    const into = Object.entries(codingPhases.inferred ?? {}).filter(([, activities]) => activities.includes(activity));
    expect(into.map(([phase]) => phase)).toEqual(expected);
  });
});
