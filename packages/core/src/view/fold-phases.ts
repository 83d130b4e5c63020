import { appendBounded, pushBounded } from "../text/bounded.ts";
import type { DerivedEvent } from "../events/run-event.ts";
import { freezeDeep } from "../text/freeze-deep.ts";
import { edgesFrom, type PhaseGraph, phaseSpec } from "../graph/phase-graph.ts";
import type { OwedVisit } from "./run-view.ts";
import { noMetrics } from "./run-fields.ts";
import { VIEW_LIMITS, type ViewState } from "./view-state.ts";

/** A move into another phase: how the entry before it ended, and the phase that begins. */
export function foldMove(view: ViewState, event: DerivedEvent<"phase.transition">): void {
  const { from, to, entry, at, seq, by, actor, outcome, reason, name, agent, message, summary, metrics } = event;
  const record = { from, to, entry, at, seq, by, actor, outcome, metrics, reason, name, agent, message, summary };
  view.transitions = appendBounded(view.transitions, freezeDeep(record), VIEW_LIMITS.transitions);
  if (outcome === "completed") owe(view, from, "completed");
  leaveAndEnter(view, event);
}

/** A move back: what was owed in the entry that is taken up again is owed again. */
export function foldRollback(view: ViewState, event: DerivedEvent<"phase.rolled-back">): void {
  const restored = view.entryList.findLast(({ name }) => name === event.restores);
  view.owed = mergeOwed(view.owed, restored?.owed ?? []);
  leaveAndEnter(view, event);
}

function leaveAndEnter(
  view: ViewState,
  event: { readonly from: string; readonly to: string; readonly cause: number; readonly at: number },
): void {
  view.previousPhase = event.from;
  view.movedBy = event.cause;
  enterPhase(view, { phase: event.to, at: event.at });
}

/** A stay in a phase begins: its counters start anew, and what visiting it owes is noted. */
export function enterPhase(view: ViewState, { phase, at }: { readonly phase: string; readonly at: number }): void {
  const stay = (view.stays.get(phase) ?? 0) + 1;
  view.stays.set(phase, stay);
  view.phase = phase;
  view.phaseEntry = `${phase}#${String(stay)}`;
  view.phaseStartedAt = at;
  view.turnsInPhase = 0;
  view.entry = noMetrics();
  view.entryFiles.clear();
  view.failedGates.clear();
  view.sentInEntry = 0;
  view.skipped.clear();
  view.refusals.clear();
  view.owed = view.owed.filter(({ visit }) => visit !== phase);
  pushBounded(view.entryList, { name: view.phaseEntry, phase, owed: view.owed }, VIEW_LIMITS.entries);
  owe(view, phase, "entered");
}

function owe(view: ViewState, after: string, when: "entered" | "completed"): void {
  const fresh = (view.graph.required ?? []).filter((rule) => rule.after === after && (rule.when ?? "entered") === when);
  if (fresh.length > 0) view.owed = mergeOwed(view.owed, fresh);
}

function mergeOwed(owed: readonly OwedVisit[], more: readonly OwedVisit[]): OwedVisit[] {
  const added = more.filter(
    (rule) => !owed.some(({ visit, before }) => visit === rule.visit && before === rule.before),
  );
  return [...owed, ...added.map(({ after, visit, before }) => ({ after, visit, before }))];
}

/** True if a move starts a new cycle: by the phase it enters or by the edge it takes. */
export function startsCycle(graph: PhaseGraph, { from, to }: { readonly from: string; readonly to: string }): boolean {
  return (
    phaseSpec(graph, to)?.fresh === true || edgesFrom(graph, from).some((edge) => edge.to === to && edge.fresh === true)
  );
}
