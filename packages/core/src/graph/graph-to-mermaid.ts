import { edgesFrom, type PhaseEdge, type PhaseGraph, phaseSpec, type RequiredVisit } from "./phase-graph.ts";

/**
 * A graph as the text of a Mermaid state diagram: the same graph always gives the same text. Phases get plain ids, so
 * any name can be drawn; guards and actors are on the moves, required visits in a note.
 *
 * @example
 * graphToMermaid(definePhaseGraph({ initial: "triage", phases: { triage: { next: ["answer"] }, answer: { next: [],
 * final: true } } }))
 */
export function graphToMermaid(graph: PhaseGraph): string {
  const phases = Object.keys(graph.phases);
  const edges = phases.flatMap((from) => edgesFrom(graph, from).map((edge) => ({ from, edge })));
  const required = graph.required ?? [];
  const mentioned = [graph.initial, ...edges.map(({ edge }) => edge.to), ...required.map(({ after }) => after)];
  const ids = new Map([...new Set([...phases, ...mentioned])].map((name, index) => [name, `p${String(index)}`]));
  const id = (name: string): string => ids.get(name) ?? "";
  return [
    ...(graph.name === undefined ? [] : ["---", `title: ${JSON.stringify(oneLine(graph.name))}`, "---"]),
    "stateDiagram-v2",
    ...[...ids].map(
      ([name, to]) => `  state "${escape(name)}${phaseSpec(graph, name) === undefined ? " (unknown)" : ""}" as ${to}`,
    ),
    `  [*] --> ${id(graph.initial)}`,
    ...edges.map(({ from, edge }) => `  ${id(from)} --> ${id(edge.to)}${edgeLabel(edge)}`),
    ...phases.filter((name) => phaseSpec(graph, name)?.final === true).map((name) => `  ${id(name)} --> [*]`),
    ...[...notesByPhase(required)].map(([after, notes]) => `  note right of ${id(after)} : ${notes.join(", ")}`),
    "",
  ].join("\n");
}

/** One note for each phase: a second one would take the place of the first. */
function notesByPhase(required: readonly RequiredVisit[]): ReadonlyMap<string, readonly string[]> {
  const notes = new Map<string, readonly string[]>();
  for (const { after, visit, before, when } of required) {
    const condition = when === "completed" ? "once completed " : "";
    const deadline = before === "end" ? "the end" : escape(before);
    notes.set(after, [...(notes.get(after) ?? []), `${condition}${escape(visit)} before ${deadline}`]);
  }
  return notes;
}

function edgeLabel({ guard, by, fresh }: PhaseEdge): string {
  // A function written in place is named after its property.
  const unnamed = typeof guard === "function" && ["", "guard"].includes(guard.name);
  const condition = unnamed ? "a condition holds" : typeof guard === "function" ? guard.name : guard;
  const parts = [
    ...(condition === undefined ? [] : [`if ${escape(condition)}`]),
    ...(by === undefined ? [] : [`by ${by.map(escape).join(" or ")}`]),
    ...(fresh === true ? ["new cycle"] : []),
  ];
  return parts.length === 0 ? "" : ` : ${parts.join(", ")}`;
}

/** Letters and digits of any script stay; all that could mean something to Mermaid becomes a character code. */
function escape(text: string): string {
  return oneLine(text).replace(/[^\p{L}\p{M}\p{N} _.,()-]/gu, (character) => `#${String(character.codePointAt(0))};`);
}

function oneLine(text: string): string {
  return text.slice(0, 80).replace(/\s+/g, " ").trim() || "(empty)";
}
