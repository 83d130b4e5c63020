import {
  codingPhases,
  conversationPhases,
  deliveryPhases,
  graphToMermaid,
  type PhaseGraph,
  pipelinePhases,
  readinessPhases,
  researchPhases,
  supportPhases,
} from "@phasekit/core";

const GRAPHS: Readonly<Record<string, PhaseGraph>> = {
  codingPhases,
  conversationPhases,
  deliveryPhases,
  pipelinePhases,
  readinessPhases,
  researchPhases,
  supportPhases,
};

/** The graphs that `@phasekit/core` exports, each drawn from its own data. */
export function graphsPage(): string {
  return [
    "# Graphs",
    "",
    "The phase graphs that `@phasekit/core` exports, drawn by `graphToMermaid()` from the graphs themselves. A graph of your own is plain",
    "data: [the concepts](concepts.md) explain it, [custom policies](custom-policy.md) use one.",
    ...Object.entries(GRAPHS).flatMap(([name, graph]) => [
      "",
      `## ${name}`,
      "",
      "```mermaid",
      drawing(graph),
      "```",
      "",
      "| Phase | Purpose | A run may end here |",
      "| --- | --- | --- |",
      ...Object.entries(graph.phases).map(
        ([phase, { purpose = "", final }]) => `| ${phase} | ${purpose} | ${final === true ? "yes" : ""} |`,
      ),
    ]),
    "",
  ].join("\n");
}

/** The diagram without its title, which is the heading, and without the ends, which the table has. */
function drawing(graph: PhaseGraph): string {
  const lines = graphToMermaid(graph)
    .replace(/^---\n[\s\S]*?---\n/, "")
    .trimEnd()
    .split("\n");
  return lines.filter((line) => !line.endsWith("--> [*]")).join("\n");
}
