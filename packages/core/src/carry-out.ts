import { arbitrateNudges, type NudgeLimits, type Proposal } from "./arbitrate-nudges.ts";
import type { Alert, Decision, Refuse, Review, Stop, Veto } from "./decision.ts";
import type { Deriving } from "./deriving.ts";
import type { DerivedFacts } from "./facts/derived-facts.ts";
import type { HostEvent } from "./facts/run-event.ts";
import { toJson } from "./json.ts";
import { decideMove } from "./move-run.ts";
import { identity, VIEW_LIMITS } from "./view-state.ts";

/** Vetoes without progress in between, and in all. */
export interface VetoLimits {
  readonly sinceProgress: number;
  readonly inAll: number;
}

/** Turns one decision into derived facts. Nudges and alerts are decided together, not one by one. */
export function carryOut(
  deriving: Deriving,
  { policy, decision, event, vetoes }: {
    readonly policy: string;
    readonly decision: Exclude<Decision, { decision: "nudge" }>;
    readonly event: HostEvent;
    readonly vetoes: VetoLimits;
  },
): void {
  switch (decision.decision) {
    case "alert":
      return;
    case "transition":
      decideMove(deriving, policy, decision);
      return;
    case "refuse":
      refuseCall(deriving, { policy, decision, event });
      return;
    case "veto":
      object(deriving, { policy, decision, event, vetoes });
      return;
    case "vouch": {
      const { gate = policy, verdict, evidence } = decision;
      deriving.derive("finish.vouched", policy, { gate, verdict, ...(evidence !== undefined && { evidence: toJson(evidence) }) });
      return;
    }
    case "review":
      requestReview(deriving, policy, decision);
      return;
    case "stop":
      requestStop(deriving, policy, decision);
      return;
    case "emit": {
      const { type, body } = decision.fact.derive(decision.data);
      deriving.derive(type, policy, body as DerivedFacts[typeof type]);
      return;
    }
  }
}

const SEVERITY = { notice: 0, warning: 1, critical: 2 } as const;

/**
 * Alerts are levels: what is new or worse is raised, what the policy no longer says at this kind of fact is cleared. A
 * policy that says all at every fact clears what it raised at other kinds too.
 */
export function diffAlerts(deriving: Deriving, policy: string, { decisions, on, all }: { readonly decisions: readonly Decision[]; readonly on: string; readonly all: boolean }): void {
  const { view, derive } = deriving;
  const held = new Set<string>();
  for (const decision of decisions) {
    if (decision.decision !== "alert") continue;
    held.add(identity(policy, decision.kind, decision.signature));
    raise(deriving, policy, { alert: decision, on });
  }
  for (const [key, open] of view.alerts) {
    if (open.policy !== policy || (!all && open.on !== on) || held.has(key)) continue;
    derive("alert.cleared", policy, { kind: open.kind, signature: open.signature, why: "gone" });
  }
}

function raise({ view, derive }: Deriving, policy: string, { alert, on }: { readonly alert: Alert; readonly on: string }): void {
  const { kind, signature, severity, count, subject, evidence } = alert;
  const open = view.alerts.get(identity(policy, kind, signature));
  if (open !== undefined && SEVERITY[severity] <= SEVERITY[open.severity]) return;
  const oldest = open === undefined && view.alerts.size >= VIEW_LIMITS.alerts ? view.alerts.values().next().value : undefined;
  if (oldest !== undefined) derive("alert.cleared", oldest.policy, { kind: oldest.kind, signature: oldest.signature, why: "evicted" });
  derive("alert.raised", policy, {
    kind,
    signature,
    severity,
    count,
    on,
    ...(subject !== undefined && { subject }),
    ...(evidence !== undefined && { evidence: toJson(evidence) }),
  });
}

function refuseCall(
  { derive, acts }: Deriving,
  { policy, decision, event }: { readonly policy: string; readonly decision: Refuse; readonly event: HostEvent },
): void {
  const tool = event.type === "tool.requested" ? event.tool : "";
  derive("tool.refused", policy, { tool, text: decision.text, applied: acts(policy, "gate") });
}

function object(
  { view, derive, acts }: Deriving,
  { policy, decision, event, vetoes }: { readonly policy: string; readonly decision: Veto; readonly event: HostEvent; readonly vetoes: VetoLimits },
): void {
  const { gate = policy, text, evidence } = decision;
  const waiver = view.waivers.get(gate);
  // The first objection of this finish decides whether a cap is reached; the others stand beside it.
  const counted = view.finish?.vetoed === true ? 1 : 0;
  const capped = view.vetoesSinceProgress - counted >= vetoes.sinceProgress || view.vetoesInAll - counted >= vetoes.inAll;
  const held =
    waiver !== undefined && view.now < (waiver.until ?? Infinity)
      ? "waived"
      : capped
        ? "limit"
        : view.vetoedAt.get(gate) === view.toolCalls
          ? "unchanged"
          : undefined;
  const canVeto = event.type === "finish.requested" && event.canVeto !== false;
  derive("finish.vetoed", policy, {
    gate,
    text,
    ...(evidence !== undefined && { evidence: toJson(evidence) }),
    ...(held !== undefined && { held }),
    applied: held === undefined && canVeto && acts(policy, "gate"),
  });
}

function requestReview({ view, derive, acts }: Deriving, policy: string, decision: Review): void {
  const { kind, text, episode = view.phaseEntry, graded } = decision;
  if (view.episodes.has(identity("review", policy, episode))) return;
  const review = `${policy}:${String((view.reviewCounts.get(policy) ?? 0) + 1)}`;
  derive("review.requested", policy, { review, kind, text, episode, applied: acts(policy, graded ? "gate" : "nudge") });
}

function requestStop({ view, derive, acts }: Deriving, policy: string, { reason, how, text, graded }: Stop): void {
  if (view.stops.has(identity(policy, reason))) return;
  derive("stop.requested", policy, { reason, how, ...(text !== undefined && { text }), applied: acts(policy, graded ? "gate" : "nudge") });
}

/** Sends what arbitration lets through, and settles nudges whose cause is gone. `asked` are the policies that were asked. */
export function speak(
  { view, derive, acts }: Deriving,
  { proposals, asked, limits }: { readonly proposals: readonly Proposal[]; readonly asked: ReadonlySet<string>; readonly limits: NudgeLimits },
): void {
  const held = new Set(proposals.map(({ policy, nudge }) => identity(policy, nudge.episode ?? view.phaseEntry)));
  for (const { nudge, policy, episode } of [...view.openNudges.values()]) {
    if (asked.has(policy) && !held.has(identity(policy, episode))) derive("nudge.settled", policy, { nudge, helped: true });
  }
  if (proposals.length === 0) return;
  const { accepted, dropped } = arbitrateNudges(view, proposals, limits);
  for (const { policy, nudge, episode, text, shortened } of accepted) {
    const ignored = [...view.openNudges.values()].find((open) => open.policy === policy && open.episode === episode);
    if (ignored !== undefined) derive("nudge.settled", policy, { nudge: ignored.nudge, helped: false });
    derive("nudge.sent", policy, {
      nudge: `nudge-${String(view.nextNudge)}`,
      text,
      episode,
      ...(nudge.topic !== undefined && { topic: nudge.topic }),
      ...(nudge.guidance && { guidance: true as const }),
      ...(shortened && { shortened: true as const }),
      applied: acts(policy, "nudge"),
    });
  }
  for (const { policy, episode, why } of dropped) derive("nudge.dropped", policy, { episode, why });
}
