import { edgesFrom, type PhaseGraph, phaseSpec } from "@phasekit/core";
import { END, type RoutingDecision } from "./routing-decision.ts";
import type { RoutingRequest } from "./router.ts";

/**
 * The route nobody has to think about, for a router that fails: let the phase's usual agents do its work, then go the
 * shortest way to what is owed, let everybody reflect, and end.
 */
export function phaseFallback(request: RoutingRequest): RoutingDecision {
  const { phase, owed, unreflected, reflection, graph, entry, lastRound } = request;
  if (phase === reflection) {
    if (unreflected.length > 0) return { agents: unreflected, reason: "They took part and have not reflected." };
    return { agents: [END], reason: "Everybody has reflected." };
  }
  const worked = lastRound?.entry === entry && lastRound.completions.some(({ outcome }) => outcome === "done");
  if (!worked) return { agents: usualAgents(request, phase), reason: `The usual agents of the phase "${phase}" do its work.` };
  const [due] = owed;
  const step = due === undefined ? undefined : stepTowards(graph, phase, due);
  if (step !== undefined) return { agents: usualAgents(request, step), phase: step, reason: `A visit to "${String(due)}" is owed.` };
  if (phaseSpec(graph, phase)?.final === true || request.allowed.length === 0) return { agents: [END], reason: "Nothing is owed." };
  const next = request.allowed[0] ?? phase;
  return { agents: usualAgents(request, next), phase: next, reason: `The work of the phase "${phase}" is done.` };
}

function usualAgents({ graph, agents, reflection, unreflected }: RoutingRequest, phase: string): readonly string[] {
  if (phase === reflection && unreflected.length > 0) return unreflected;
  const names = agents.map(({ name }) => name);
  const usual = (phaseSpec(graph, phase)?.agents ?? []).filter((name) => names.includes(name));
  return usual.length > 0 ? usual.slice(0, 1) : names.slice(0, 1);
}

/** The first step of the shortest way; `undefined` when there is none. */
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
