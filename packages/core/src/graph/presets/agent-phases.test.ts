import { describe, expect, it } from "vitest";
import { checkGraph } from "../check-graph.ts";
import { edgesFrom, type PhaseGraph, phaseSpec } from "../phase-graph.ts";
import { researchPhases } from "./research-phases.ts";
import { supportPhases } from "./support-phases.ts";

interface Preset {
  readonly graph: PhaseGraph;
  readonly moves: Readonly<Record<string, readonly string[]>>;
  readonly final: readonly string[];
}

describe.each<Preset>([
  {
    graph: supportPhases,
    moves: {
      understanding: ["resolving", "answering", "handing-over"],
      resolving: ["answering", "understanding", "handing-over"],
      answering: ["understanding", "resolving", "handing-over"],
      "handing-over": ["understanding", "answering"],
    },
    final: ["answering", "handing-over"],
  },
  {
    graph: researchPhases,
    moves: {
      scoping: ["gathering", "writing", "answering"],
      gathering: ["writing", "scoping", "answering"],
      writing: ["gathering", "scoping", "answering"],
      answering: ["scoping", "gathering", "writing"],
    },
    final: ["answering"],
  },
])("the preset $graph.name", ({ graph, moves, final }) => {
  it("has no issues, and ends where it should", () => {
    expect(checkGraph(graph)).toEqual([]);
    expect(Object.keys(graph.phases).filter((name) => phaseSpec(graph, name)?.final)).toEqual(final);
  });

  it.each(Object.entries(moves))("%s leads to %j", (from, to) => {
    expect(edgesFrom(graph, from)).toEqual(to.map((name) => ({ to: name })));
  });
});
