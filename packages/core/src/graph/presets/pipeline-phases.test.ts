import { describe, expect, it } from "vitest";
import { checkGraph } from "../check-graph.ts";
import type { PhaseSpec } from "../phase-graph.ts";
import { pipelinePhases } from "./pipeline-phases.ts";

describe("pipelinePhases", () => {
  it("pipelinePhases has no issues", () => {
    expect(checkGraph(pipelinePhases)).toEqual([]);
    expect(pipelinePhases.initial).toBe("analyze");
  });

  it.each([
    { name: "analyze", next: ["database"], commodity: ["actors", "documents"], checks: [] },
    { name: "database", next: ["interface"], commodity: ["namespaces", "models"], checks: ["compile"] },
    { name: "interface", next: ["test"], commodity: ["operations", "schemas"], checks: ["compile"] },
    { name: "test", next: ["realize"], commodity: ["functions"], checks: ["compile"] },
    { name: "realize", next: [], commodity: ["functions"], checks: ["compile"] },
  ] as const)(
    "$name leads to $next and produces $commodity, checked by $checks",
    ({ name, next, commodity, checks }) => {
      const phase: PhaseSpec = pipelinePhases.phases[name];
      expect(phase.next).toEqual(next);
      expect(phase.data).toEqual({ commodity, checks });
      expect(phase.purpose).not.toBe("");
    },
  );

  it("pipelinePhases makes only realize final, with two tiers of success", () => {
    const phases: readonly (readonly [string, PhaseSpec])[] = Object.entries(pipelinePhases.phases);
    expect(phases.filter(([, { final }]) => final).map(([name]) => name)).toEqual(["realize"]);
    expect(phases.filter(([, { partial }]) => partial).map(([name]) => name)).toEqual(["realize"]);
  });

  it("no phase of pipelinePhases waits for people", () => {
    const phases: readonly PhaseSpec[] = Object.values(pipelinePhases.phases);
    expect(phases.filter(({ waiting }) => waiting)).toEqual([]);
  });
});
