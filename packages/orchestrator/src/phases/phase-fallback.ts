import type { PhaseGraph } from "@phasekit/core";
import { edgesFrom, phaseSpec } from "@phasekit/core/adapter";
import { END, type RoutingDecision } from "../rounds/routing-decision.ts";
import type { RoutingRequest } from "../rounds/router.ts";

/**
 * Default route if the router fails: the phase's usual agents do its work, then the conversation takes the shortest way
 * to each owed phase, every participant reflects, and the conversation ends.
 */
export function phaseFallback(request: RoutingRequest): RoutingDecision {
  const { phase, owed, unreflected, reflection, graph, entry, lastRound } = request;
  if (phase === reflection) {
    if (unreflected.length > 0)
      return { agents: unreflected, reason: "These agents took part and have not reflected." };
    return { agents: [END], reason: "Every participant has reflected." };
  }
  const worked = lastRound?.entry === entry && lastRound.completions.some(({ outcome }) => outcome === "done");
  if (!worked)
    return { agents: usualAgents(request, phase), reason: `The usual agents of the phase "${phase}" do its work.` };
  const [due] = owed;
  const step = due === undefined ? undefined : stepTowards(graph, phase, due);
  if (step !== undefined)
    return { agents: usualAgents(request, step), phase: step, reason: `A visit to "${String(due)}" is owed.` };
  if (phaseSpec(graph, phase)?.final === true || request.allowed.length === 0)
    return { agents: [END], reason: "Nothing is owed." };
  const next = request.allowed[0] ?? phase;
  return { agents: usualAgents(request, next), phase: next, reason: `The work of the phase "${phase}" is done.` };
}

function usualAgents({ graph, agents, reflection, unreflected }: RoutingRequest, phase: string): readonly string[] {
  if (phase === reflection && unreflected.length > 0) return unreflected;
  const names = agents.map(({ name }) => name);
  const usual = (phaseSpec(graph, phase)?.agents ?? []).filter((name) => names.includes(name));
  return usual.length > 0 ? usual.slice(0, 1) : names.slice(0, 1);
}

/** The first step of the shortest path; undefined if there is none. */
function stepTowards(graph: PhaseGraph, from: string, to: string): string | undefined {
  const ways: { readonly at: string; readonly first: string | undefined }[] = [{ at: from, first: undefined }];
  const passed = new Set([from]);
  for (const { at, first } of ways) {
    for (const edge of edgesFrom(graph, at)) {
      if (edge.to === to) return first ?? edge.to;
      if (passed.has(edge.to)) continue;
      passed.add(edge.to);
      ways.push({ at: edge.to, first: first ?? edge.to });
    }
  }
  return undefined;
}
