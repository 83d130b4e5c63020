import { edgesFrom, type PhaseEdge, type PhaseGraph, phaseSpec } from "./phase-graph.ts";

/**
 * A graph as the text of a Mermaid state diagram: the same graph always gives the same text. Phases get plain ids, so
 * any name can be drawn; guards and who may move stand on the moves, required visits in a note.
 *
 * @example
 * graphToMermaid(definePhaseGraph({ initial: "triage", phases: { triage: { next: ["answer"] }, answer: { next: [], final: true } } }))
 */
export function graphToMermaid(graph: PhaseGraph): string {
  const phases = Object.keys(graph.phases);
  const edges = phases.flatMap((from) => edgesFrom(graph, from).map((edge) => ({ from, edge })));
  const required = graph.required ?? [];
  const mentioned = [graph.initial, ...edges.map(({ edge }) => edge.to), ...required.map(({ after }) => after)];
  const ids = new Map([...new Set([...phases, ...mentioned])].map((name, index) => [name, `p${String(index)}`]));
  const id = (name: string): string => ids.get(name) ?? "";
  return [
    ...(graph.name === undefined ? [] : ["---", `title: "${escape(graph.name)}"`, "---"]),
    "stateDiagram-v2",
    ...[...ids].map(([name, to]) => `  state "${escape(name)}${phaseSpec(graph, name) === undefined ? " (unknown)" : ""}" as ${to}`),
    `  [*] --> ${id(graph.initial)}`,
    ...edges.map(({ from, edge }) => `  ${id(from)} --> ${id(edge.to)}${edgeLabel(edge)}`),
    ...phases.filter((name) => phaseSpec(graph, name)?.final === true).map((name) => `  ${id(name)} --> [*]`),
    ...required.map(({ after, visit, before, when }) => {
      const owed = when === "completed" ? "once completed, " : "";
      return `  note right of ${id(after)} : ${owed}${escape(visit)} before ${before === "end" ? "the end" : escape(before)}`;
    }),
    "",
  ].join("\n");
}

function edgeLabel({ guard, by, fresh }: PhaseEdge): string {
  const condition = typeof guard === "function" ? guard.name || "a condition holds" : guard;
  const parts = [
    ...(condition === undefined ? [] : [`if ${escape(condition)}`]),
    ...(by === undefined ? [] : [`by ${by.map(escape).join(" or ")}`]),
    ...(fresh === true ? ["new cycle"] : []),
  ];
  return parts.length === 0 ? "" : ` : ${parts.join(", ")}`;
}

/** Letters and digits of any script stay; all that could mean something to Mermaid becomes a character code. */
function escape(text: string): string {
  const shown = text.trim() === "" ? "(empty)" : text.replace(/\s+/gu, " ").slice(0, 80);
  return shown.replace(/[^\p{L}\p{M}\p{N} _.,()-]/gu, (character) => `#${String(character.codePointAt(0))};`);
}
