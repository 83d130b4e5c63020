import { describe, expect, it } from "vitest";
import { checkGraph } from "../check-graph.ts";
import { edgesFrom, type PhaseSpec } from "../phase-graph.ts";
import { readinessPhases } from "./readiness-phases.ts";

const phases: readonly (readonly [string, PhaseSpec])[] = Object.entries(readinessPhases.phases);

describe("readinessPhases", () => {
  it("readinessPhases has no issues", () => {
    expect(checkGraph(readinessPhases)).toEqual([]);
    expect(readinessPhases.initial).toBe("research");
  });

  it.each([
    {
      name: "research",
      next: ["architecture"],
      agent: "researcher",
      data: { artifact: "research_brief" },
      final: undefined,
    },
    {
      name: "architecture",
      next: ["grooming"],
      agent: "architect",
      data: { artifact: "design_doc" },
      final: undefined,
    },
    { name: "grooming", next: ["ready"], agent: "planner", data: { artifact: "execution_plan" }, final: undefined },
    { name: "ready", next: [], agent: "worker", data: undefined, final: true },
  ] as const)(
    "$name leads to $next, is the work of the $agent and delivers $data; final: $final",
    ({ name, next, agent, data, final }) => {
      const phase: PhaseSpec = readinessPhases.phases[name];
      expect(edgesFrom(readinessPhases, name).map(({ to }) => to)).toEqual(next);
      expect(phase.agents).toEqual([agent]);
      expect(phase.data).toEqual(data);
      expect(phase.final).toBe(final);
      expect(phase.purpose).not.toBe("");
    },
  );

  it("readinessPhases lets everyone but the agent move on", () => {
    for (const [name] of phases) {
      for (const { by } of edgesFrom(readinessPhases, name)) expect(by).toEqual(["host", "policy", "judge", "user"]);
    }
  });

  it("no phase of readinessPhases waits for people", () => {
    const phases: readonly PhaseSpec[] = Object.values(readinessPhases.phases);
    expect(phases.filter(({ waiting }) => waiting)).toEqual([]);
  });
});
