import type { PhaseGraph } from "@phasekit/core";
import { edgesFrom, phaseSpec, renderGuidance } from "@phasekit/core/adapter";

/** A piece of an agent's prompt. Lower priorities come first. */
export interface PromptFragment {
  readonly kind: "definitions" | "phase" | "hand-off" | "history" | "reason" | "reminder";
  readonly priority: number;
  readonly text: string;
}

/** An agent and the phase it saw last. */
export interface AgentKnowledge {
  readonly agent: string;
  /** Kind of agent. A phase may have guidance for a kind. */
  readonly type?: string | undefined;
  /** The phase it saw last; undefined if it has just joined. */
  readonly seen: string | undefined;
}

/**
 * Returns the fragments about phases: every definition and the current phase when an agent joins, both names when the
 * phase has changed since its last round, and nothing otherwise.
 */
export function phaseFragments(
  graph: PhaseGraph,
  phase: string,
  { agent, type, seen }: AgentKnowledge,
): readonly PromptFragment[] {
  if (seen === phase) return [];
  const spec = phaseSpec(graph, phase);
  const guided =
    typeof spec?.guidance === "object" && type !== undefined && !Object.hasOwn(spec.guidance, agent) ? type : agent;
  const heading = renderPhase(graph, phase, seen);
  const guidance =
    spec === undefined ? undefined : renderGuidance(spec, { name: phase, agent: guided, previous: seen });
  const own: PromptFragment = {
    kind: "phase",
    priority: 20,
    text: guidance === undefined ? heading : [heading, ...guidance.split("\n").slice(1)].join("\n"),
  };
  return seen === undefined ? [{ kind: "definitions", priority: 15, text: renderDefinitions(graph) }, own] : [own];
}

function renderPhase(graph: PhaseGraph, phase: string, seen: string | undefined): string {
  const { purpose, exit = [] } = phaseSpec(graph, phase) ?? {};
  return [
    seen === undefined ? `You are in the phase "${phase}".` : `The phase changed from "${seen}" to "${phase}".`,
    ...(purpose === undefined ? [] : [`It is for: ${purpose}`]),
    ...(exit.length === 0 ? [] : [`It is complete when: ${exit.join("; ")}.`]),
  ].join("\n");
}

/** Renders every phase with its purpose and its next phases. */
export function renderDefinitions(graph: PhaseGraph): string {
  const lines = Object.entries(graph.phases).map(([name, { purpose = "" }]) => {
    const next = edgesFrom(graph, name).map(({ to }) => to);
    return `- ${name}: ${purpose}${next.length === 0 ? "" : ` Next: ${next.join(", ")}.`}`;
  });
  return `The work goes through phases:\n${lines.join("\n")}`;
}

/** Renders fragments as one prompt, by priority. */
export function renderPrompt(fragments: readonly PromptFragment[]): string {
  return fragments
    .toSorted((a, b) => a.priority - b.priority)
    .map(({ text }) => text)
    .join("\n\n");
}
