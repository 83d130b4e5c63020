import { describe, expect, it } from "vitest";
import { definePhaseGraph, edgesFrom, phaseSpec } from "./phase-graph.ts";

const guard = (): boolean => true;
const graph = definePhaseGraph({
  initial: "a",
  phases: { a: { next: ["b", { to: "b", guard, by: ["user"] }] }, b: { next: [] } },
});

describe("a phase graph", () => {
  it("a phase graph is plain data: what was given comes back", () => {
    const given = { initial: "a", phases: { a: { next: [] } } } as const;
    expect(definePhaseGraph(given)).toBe(given);
  });

  it.each([
    ["a", [{ to: "b" }, { to: "b", guard, by: ["user"] }]],
    ["b", []],
    ["nowhere", []],
    ["toString", []],
  ])("a phase graph reads edges from %s", (phase, edges) => {
    expect(edgesFrom(graph, phase)).toEqual(edges);
  });

  it("a phase graph describes its own phases only", () => {
    expect(phaseSpec(graph, "b")).toEqual({ next: [] });
    expect(phaseSpec(graph, "constructor")).toBeUndefined();
  });
});
