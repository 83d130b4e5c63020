import type { RefusedWhy } from "../events/derived-events.ts";
import type { Actor } from "../events/run-event.ts";
import { edgesFrom, type Guard, type PhaseEdge, phaseSpec } from "./phase-graph.ts";
import { quote } from "../text/quote.ts";
import type { ViewState } from "../view/view-state.ts";

/** The reason a move is refused, for programs and for people. */
export interface MoveRefusal {
  readonly why: RefusedWhy;
  readonly text: string;
}

/** A requested move. */
export interface WantedMove {
  readonly to: string;
  readonly actor: Actor;
  /** Where the mover believes the run is. */
  readonly from?: string | undefined;
}

type PassGuard = (guard: Guard) => boolean | string;

/** Returns the reason the graph refuses a move now; `undefined` if it allows it. */
export function checkMove(
  view: ViewState,
  { to, actor, from }: WantedMove,
  passGuard: PassGuard,
): MoveRefusal | undefined {
  const here = view.phase;
  if (view.status !== "running") return { why: "status", text: `The run is ${view.status}.` };
  if (from !== undefined && from !== here && from !== view.phaseEntry) {
    return { why: "stale", text: `The run is in ${quote(view.phaseEntry)}, no longer in ${quote(from)}.` };
  }
  if (phaseSpec(view.graph, to) === undefined) {
    return {
      why: "unknown-phase",
      text: `The graph has no phase ${quote(to)}. It has: ${Object.keys(view.graph.phases).join(", ")}.`,
    };
  }
  const edges = reachableEdges(view).filter((edge) => edge.to === to);
  if (edges.length === 0) {
    const next = [...new Set(reachableEdges(view).map((edge) => edge.to))].join(", ");
    return {
      why: "no-edge",
      text: `From ${quote(here)} a run may go to: ${next === "" ? "nowhere" : next}; not to ${quote(to)}.`,
    };
  }
  const owed = view.owed.find(({ before, visit }) => before === to && visit !== to);
  if (owed !== undefined) {
    return {
      why: "required",
      text: `After ${quote(owed.after)} a visit to ${quote(owed.visit)} is owed before ${quote(to)}.`,
    };
  }
  return firstRefusal(edges, actor, passGuard);
}

function firstRefusal(edges: readonly PhaseEdge[], actor: Actor, passGuard: PassGuard): MoveRefusal | undefined {
  let refusal: MoveRefusal | undefined;
  for (const { to, by, guard } of edges) {
    if (by !== undefined && !by.includes(actor)) {
      refusal ??= { why: "not-allowed", text: `Only ${by.join(" or ")} may move the run to ${quote(to)}.` };
      continue;
    }
    const passed = guard === undefined ? true : passGuard(guard);
    if (passed === true) return undefined;
    refusal ??= {
      why: "guard",
      text: typeof passed === "string" ? passed : `The condition for moving to ${quote(to)} is not met.`,
    };
  }
  return refusal;
}

/** The edges out of the present phase, and out of phases that were skipped from here. */
function reachableEdges(view: ViewState): readonly PhaseEdge[] {
  const edges = [...edgesFrom(view.graph, view.phase)];
  const passed = new Set([view.phase]);
  for (const edge of edges) {
    if (!view.skipped.has(edge.to) || passed.has(edge.to)) continue;
    passed.add(edge.to);
    edges.push(...edgesFrom(view.graph, edge.to));
  }
  return edges;
}

/** The warning recorded with a skipped phase. */
export function skipWarning(view: ViewState, phase: string): string {
  const spec = phaseSpec(view.graph, phase);
  const lost = spec?.exit?.join("; ") ?? spec?.purpose;
  return lost === undefined
    ? `Phase ${quote(phase)} is skipped: nothing it ensures is ensured.`
    : `Phase ${quote(phase)} is skipped. Not ensured: ${lost}.`;
}
