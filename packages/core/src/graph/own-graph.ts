import type { PhaseGraph } from "./phase-graph.ts";

const copies = new WeakMap<PhaseGraph, PhaseGraph>();

/** A frozen copy of a graph, so that no policy can change it. Made once for each graph. */
export function ownGraph(graph: PhaseGraph): PhaseGraph {
  let own = copies.get(graph);
  if (own === undefined) {
    own = copyFrozen(graph, 0) as PhaseGraph;
    copies.set(graph, own);
  }
  return own;
}

// A graph with its phases, edges and lists is five levels deep. Deeper levels are the author's own data and stay as is.
const DEPTH = 6;

function copyFrozen(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > DEPTH) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copyFrozen(item, depth + 1)));
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [
    key,
    key === "data" ? member : copyFrozen(member, depth + 1),
  ]);
  return Object.freeze(Object.fromEntries(members));
}
