import type { Veto } from "../policies/decision.ts";
import type { DeriveContext } from "./derive-context.ts";
import type { DerivedEvents } from "../events/derived-events.ts";
import type { HostEvent } from "../events/run-event.ts";
import { toStoredData } from "./stored-data.ts";
import { isWaived, type ViewState } from "../view/view-state.ts";

/** Vetoes without progress in between, and in all. */
export interface VetoLimits {
  readonly sinceProgress: number;
  readonly inAll: number;
}

/** Records a veto, and whether something holds it back. */
export function applyVeto(
  { view, derive, acts }: DeriveContext,
  {
    policy,
    decision,
    event,
    vetoes,
  }: { readonly policy: string; readonly decision: Veto; readonly event: HostEvent; readonly vetoes: VetoLimits },
): void {
  const { gate = policy, text, why, evidence, sendBack } = decision;
  const held = whyHeld(view, gate, vetoes) ?? (sendBack ? undefined : "objection");
  const canVeto = event.type === "finish.requested" && event.canVeto !== false;
  derive("finish.vetoed", policy, {
    gate,
    text,
    why,
    evidence: toStoredData(evidence),
    held,
    applied: held === undefined && canVeto && acts(policy, "gate"),
  });
}

function whyHeld(view: ViewState, gate: string, limits: VetoLimits): DerivedEvents["finish.vetoed"]["held"] {
  if (isWaived(view, gate)) return "waived";
  // Several vetoes of one finish count once.
  const counted = view.finish?.vetoed === true ? 1 : 0;
  if (view.vetoesSinceProgress - counted >= limits.sinceProgress) return "limit";
  if (view.vetoesInAll - counted >= limits.inAll) return "limit";
  return view.vetoedAt.get(gate) === view.toolCalls ? "unchanged" : undefined;
}
