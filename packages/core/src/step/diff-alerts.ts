import { type Alert, type Decision, severityRank } from "../policies/decision.ts";
import type { DeriveContext } from "./derive-context.ts";
import { toStoredData } from "./stored-data.ts";
import { identity, VIEW_LIMITS } from "../view/view-state.ts";

/**
 * Compares the alerts a policy returns with those it has open. New and worse ones are raised; those it no longer
 * returns at this type of event are cleared. A policy that returns all of its alerts at every event also clears those
 * it raised at other types.
 */
export function diffAlerts(
  context: DeriveContext,
  policy: string,
  { decisions, on, all }: { readonly decisions: readonly Decision[]; readonly on: string; readonly all: boolean },
): void {
  const { view, derive } = context;
  const held = new Set<string>();
  for (const decision of decisions) {
    if (decision.decision !== "alert") continue;
    held.add(identity(policy, decision.kind, decision.signature));
    raise(context, policy, { alert: decision, on });
  }
  for (const [key, open] of view.alerts) {
    if (open.policy !== policy || (!all && open.on !== on) || held.has(key)) continue;
    derive("alert.cleared", policy, { kind: open.kind, signature: open.signature, why: "gone" });
  }
}

function raise(
  { view, derive }: DeriveContext,
  policy: string,
  { alert, on }: { readonly alert: Alert; readonly on: string },
): void {
  const { kind, signature, severity, count, subject, evidence } = alert;
  const open = view.alerts.get(identity(policy, kind, signature));
  if (open !== undefined && severityRank(severity) <= severityRank(open.severity)) return;
  const oldest =
    open === undefined && view.alerts.size >= VIEW_LIMITS.alerts ? view.alerts.values().next().value : undefined;
  if (oldest !== undefined)
    derive("alert.cleared", oldest.policy, { kind: oldest.kind, signature: oldest.signature, why: "evicted" });
  derive("alert.raised", policy, {
    kind,
    signature,
    severity,
    count,
    on,
    subject,
    evidence: toStoredData(evidence),
  });
}
