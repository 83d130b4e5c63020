import { applyVeto, type VetoLimits } from "./apply-veto.ts";
import type { Decision, Emit, Nudge, Refuse, Review, Stop, Vouch } from "../policies/decision.ts";
import type { DeriveContext } from "./derive-context.ts";
import { diffAlerts } from "./diff-alerts.ts";
import type { DerivedEvents } from "../events/derived-events.ts";
import type { HostEvent } from "../events/run-event.ts";
import type { JsonObject } from "../text/json.ts";
import { decideMove } from "./move-run.ts";
import { toStoredData } from "./stored-data.ts";
import { identity } from "../view/view-state.ts";

interface PolicyDecisions {
  readonly policy: string;
  readonly decisions: readonly Decision[];
  readonly event: HostEvent;
  readonly vetoes: VetoLimits;
  /** True if the policy returns all of its alerts at every event. */
  readonly complete: boolean;
  /** Keeps a nudge for the end of the step, where the nudges of all policies are sent together. */
  readonly propose: (nudge: Nudge) => void;
}

/** Turns the decisions of one policy into derived events. */
export function applyDecisions(context: DeriveContext, decided: PolicyDecisions): void {
  const { policy, decisions, event, complete, propose } = decided;
  diffAlerts(context, policy, { decisions, on: event.type, all: complete });
  for (const decision of decisions) {
    if (decision.decision === "nudge") propose(decision);
    else applyDecision(context, decision, decided);
  }
}

function applyDecision(
  context: DeriveContext,
  decision: Exclude<Decision, Nudge>,
  { policy, event, vetoes }: PolicyDecisions,
): void {
  switch (decision.decision) {
    case "alert":
      // `diffAlerts` compares all of them with the open ones.
      return;
    case "transition":
      decideMove(context, policy, decision);
      return;
    case "refuse":
      refuseCall(context, { policy, decision, event });
      return;
    case "veto":
      applyVeto(context, { policy, decision, event, vetoes });
      return;
    case "vouch":
      vouchFinish(context, policy, decision);
      return;
    case "review":
      requestReview(context, policy, decision);
      return;
    case "stop":
      requestStop(context, policy, decision);
      return;
    case "emit":
      emitEvent(context, policy, decision);
      return;
  }
}

function refuseCall(
  { derive, acts }: DeriveContext,
  { policy, decision, event }: { readonly policy: string; readonly decision: Refuse; readonly event: HostEvent },
): void {
  const tool = event.type === "tool.requested" ? event.tool : "";
  derive("tool.refused", policy, { tool, text: decision.text, applied: acts(policy, "gate") });
}

function requestReview({ view, derive, acts }: DeriveContext, policy: string, decision: Review): void {
  const { kind, text, episode = view.phaseEntry, data, onlyInGate } = decision;
  if (view.episodes.has(identity("review", policy, episode))) return;
  const review = `${policy}:${String((view.reviewCounts.get(policy) ?? 0) + 1)}`;
  derive("review.requested", policy, {
    review,
    kind,
    text,
    episode,
    data: toStoredData(data),
    applied: acts(policy, onlyInGate ? "gate" : "nudge"),
  });
}

function requestStop(
  { view, derive, acts }: DeriveContext,
  policy: string,
  { reason, how, text, onlyInGate }: Stop,
): void {
  if (view.stops.has(identity(policy, reason))) return;
  derive("stop.requested", policy, {
    reason,
    how,
    text,
    applied: acts(policy, onlyInGate ? "gate" : "nudge"),
  });
}

function vouchFinish(
  { derive }: DeriveContext,
  policy: string,
  { gate = policy, verdict, why, evidence }: Vouch,
): void {
  derive("finish.vouched", policy, {
    gate,
    verdict,
    why,
    evidence: toStoredData(evidence),
  });
}

/** Members every derived event has; the body of an emitted one cannot set them. */
const BASE = ["type", "v", "seq", "at", "cause", "by", "agent", "turn", "call"];
const EMITTED = ["event.emitted", "exploration.saturation", "phase.timed-out"];

function emitEvent({ derive }: DeriveContext, policy: string, { event, data }: Emit): void {
  const { type, body } = event.derive(data);
  if (!EMITTED.includes(type)) throw new TypeError(`a policy cannot emit "${type}"`);
  const members = Object.entries(toStoredData(body) as JsonObject).filter(([key]) => !BASE.includes(key));
  const copy: unknown = Object.fromEntries(members);
  derive(type, policy, copy as DerivedEvents[typeof type]);
}
