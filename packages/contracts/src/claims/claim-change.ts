import type { Artifact } from "../contract/artifact.ts";
import { advanceComment, holdComment, rejectComment, skipComment } from "../items/audit-comments.ts";
import type { Claim } from "./claim-schema.ts";
import { type ClaimDecision, judgedHash } from "./decide-claim.ts";
import type { Contract } from "../contract/contract-schema.ts";
import { changesOf, itemPayload, type PlannedHook, toMessages } from "../items/item-hooks.ts";
import { isoTime } from "../system.ts";
import type { ClaimReview } from "../reviews/verdict-schema.ts";
import {
  changeLabels,
  type ItemArtifact,
  type ItemStatus,
  NEEDS_PERSON,
  NEEDS_REVISION,
  phaseLabel,
  type WorkItem,
} from "../items/work-item.ts";
import type { AuditComment, WorkChange, WorkRecord } from "../stores/work-store.ts";

/** A decision and everything needed to apply it. */
export interface DecidedClaim {
  readonly record: WorkRecord;
  /** With its snapshot. */
  readonly claim: Claim;
  readonly artifact: Artifact;
  readonly contract: Contract | undefined;
  readonly decision: ClaimDecision;
  readonly now: number;
  readonly createId: () => string;
  readonly statusFor: (phase: string | null) => ItemStatus;
}

/** Default status of an item that enters a phase: `ready` is for a worker, the end is for a reviewer. */
export function documentedStatus(phase: string | null): ItemStatus {
  return phase === null ? "review" : phase === "ready" ? "todo" : "backlog";
}

/** Converts a decision to one write; undefined if there is nothing to write. Pure except for `createId`. */
export function decisionToChange(decided: DecidedClaim): WorkChange | undefined {
  const { decision } = decided;
  switch (decision.outcome) {
    case "stale":
      return change(decided, {}, { rest: { claims: [settle(decided, decision)] } });
    case "rejected":
      return rejection(decided, decision);
    case "waiting":
      return waiting(decided, decision);
    case "advanced":
      return advancement(decided, decision);
  }
}

/** The decision on a claim that another one was faster than. */
export function superseded({ id }: Claim): Extract<ClaimDecision, { readonly outcome: "stale" }> {
  return { outcome: "stale", code: "superseded", text: `Another claim advanced the item: ${id}.` };
}

/** The claims that an advancement makes stale. */
function supersededBy({ claims }: WorkRecord, claim: Claim): readonly Claim[] {
  return claims.filter(({ id, processed }) => !processed && id !== claim.id);
}

function waiting(
  decided: DecidedClaim,
  { outcome, code, text, escalations }: Extract<ClaimDecision, { readonly outcome: "waiting" }>,
): WorkChange | undefined {
  const { record, claim, artifact, contract, now, createId } = decided;
  const stored = record.claims.find(({ id }) => id === claim.id);
  // Written once: a claim that waits for the same reason as before is not news. One whose artifact was read late keeps
  // that snapshot.
  const isNews = stored?.snapshot !== claim.snapshot || claim.code !== code || claim.text !== text;
  const news = isNews ? { claims: [{ ...claim, outcome, code, text }], ...snapshotOf(artifact) } : undefined;
  const artifact_hash = judgedHash(artifact, claim);
  const asked = record.reviews.some(
    (review) =>
      isOpen(review) &&
      review.entry === claim.entry &&
      review.artifact_hash === artifact_hash &&
      review.contract_hash === contract?.hash &&
      review.skip_to === claim.skip_to,
  );
  if (code !== "judge" || asked || contract === undefined)
    return news === undefined ? undefined : change(decided, {}, { rest: news });
  const review: ClaimReview = {
    id: createId(),
    item_id: record.item.id,
    claim_id: claim.id,
    phase: claim.completed_phase,
    entry: claim.entry,
    artifact_hash,
    contract_hash: contract.hash,
    skip_to: claim.skip_to,
    escalations,
    requested_at: isoTime(now),
    attempts: 0,
    leased_until: null,
    state: "open",
  };
  return change(decided, {}, { rest: { ...news, reviews: [review] } });
}

function rejection(
  decided: DecidedClaim,
  decision: Extract<ClaimDecision, { readonly outcome: "rejected" }>,
): WorkChange {
  const { record, claim, artifact, contract, now } = decided;
  const { item } = record;
  const rejections = item.metrics.phase_rejection_count + 1;
  const limit = contract?.max_rejections ?? Infinity;
  const held =
    rejections - item.forgiven.rejections >= limit
      ? `${rejections} claims of phase "${item.phase}" were rejected (max_rejections ${limit}).`
      : null;
  const { verdict } = decision;
  return change(
    decided,
    {
      labels: changeLabels(item.labels, { add: held === null ? [NEEDS_REVISION] : [NEEDS_REVISION, NEEDS_PERSON] }),
      ...(held !== null && { status: "blocked", held }),
      metrics: {
        ...item.metrics,
        phase_rejection_count: rejections,
        ...(verdict !== undefined && { last_verdict: "rejected" }),
      },
      artifacts: [...item.artifacts, ...artifactRow(item, artifact, "rejected")],
      revisionSince: isoTime(now),
    },
    {
      rest: {
        claims: [settle(decided, decision)],
        ...(verdict !== undefined && { verdicts: [{ ...verdict, processed: true }] }),
        reviews: record.reviews
          .filter((review) => isOpen(review) && review.claim_id === claim.id)
          .map((review) => ({ ...review, state: "cancelled" })),
        ...snapshotOf(artifact),
      },
      hooks: [
        {
          name: "phase_reject",
          payload: {
            phase: item.phase,
            claim: claim.id,
            code: decision.code,
            text: decision.text,
            fix: decision.fix,
            rejections,
          },
        },
      ],
      comments: [
        { kind: "reject", text: rejectComment(item, decision, rejections) },
        ...(held === null ? [] : [holdComment(held)]),
      ],
    },
  );
}

type Advance = Extract<ClaimDecision, { readonly outcome: "advanced" }>;

function advancement(decided: DecidedClaim, decision: Advance): WorkChange {
  const { record, claim, artifact, now } = decided;
  const { item } = record;
  const { to, skipped } = decision;
  const at = isoTime(now);
  const skips: WorkItem["skips"] =
    skipped.length === 0
      ? []
      : [
          {
            category: "phase_skip",
            claim_id: claim.id,
            from: item.phase,
            to: to ?? "",
            phases: skipped,
            reason: claim.skip_reason ?? "",
            created_at: at,
          },
        ];
  return change(decided, advancedItem(decided, decision, skips), {
    rest: {
      claims: [
        settle(decided, decision),
        ...supersededBy(record, claim).map((other) => settle({ claim: other, now }, superseded(claim))),
      ],
      verdicts: record.verdicts.filter(({ processed }) => !processed).map((open) => ({ ...open, processed: true })),
      reviews: record.reviews.filter(isOpen).map((review) => ({ ...review, state: "cancelled" })),
      advance: { itemId: item.id, entry: item.entry, from: item.phase, to, claimId: claim.id, at },
      ...snapshotOf(artifact),
    },
    hooks: [
      { name: "phase_advance", payload: { from: item.phase, to, claim: claim.id, code: decision.code } },
      ...skips.map((skip): PlannedHook => ({
        name: "phase_skip",
        payload: { from: skip.from, to: skip.to, phases: skip.phases, reason: skip.reason, claim: claim.id },
      })),
    ],
    after: (changed) => hooksAfterAdvance(decided, changed),
    comments: [
      { kind: "advance", text: advanceComment(artifact, decision) },
      ...(skipped.length === 0 ? [] : [{ kind: "skip" as const, text: skipComment(claim, skipped) }]),
    ],
  });
}

/** The members of an item that has entered its next phase, or has completed the last one. */
function advancedItem(
  { record: { item }, artifact, now, statusFor }: DecidedClaim,
  { to, skipped, verdict }: Advance,
  skips: WorkItem["skips"],
): Partial<WorkItem> {
  const completed = to === null;
  return {
    phase: to ?? item.phase,
    entry: item.entry + 1,
    completed,
    status: statusFor(to),
    labels: changeLabels(item.labels, {
      remove: [NEEDS_REVISION, ...(completed ? [] : [phaseLabel(item.phase)])],
      add: completed ? [] : [phaseLabel(to), ...skipped.map((phase) => `skip:${phase}`)],
    }),
    metrics: {
      entered_phase_at: isoTime(now),
      phase_rejection_count: 0,
      last_completion_hash: artifact.status === "found" ? artifact.hash : null,
      last_verdict: verdict === undefined ? null : "approved",
    },
    artifacts: [...item.artifacts, ...artifactRow(item, artifact, "approved")],
    skips: [...item.skips, ...skips],
    revisionSince: null,
    expiries: 0,
    forgiven: { ...item.forgiven, rejections: 0 },
  };
}

/** The hooks that carry the item as it is after its advance. */
function hooksAfterAdvance(
  { record: { item }, claim, artifact, contract }: DecidedClaim,
  changed: WorkItem,
): readonly PlannedHook[] {
  const { project, phase } = changed;
  const hooks: PlannedHook[] = [
    {
      name: "on-phase-advance",
      payload: { state: itemPayload(changed), project, phase, from: item.phase, claim: claim.id },
    },
  ];
  if (claim.promote_to !== null && artifact.status === "found")
    hooks.push({
      name: "promote_artifact",
      payload: {
        claim: claim.id,
        path: artifact.path,
        hash: artifact.hash,
        to: claim.promote_to,
        base: claim.promote_base_hash,
        allowed: contract?.allow_promote_to ?? [],
      },
    });
  if (changed.completed && item.changeRequest === null)
    hooks.push({ name: "create_change_request", payload: { claim: claim.id } });
  return hooks;
}

/** The parts of a change besides the item's own members. */
interface ItemChangeOptions {
  readonly now: number;
  readonly rest?: Omit<WorkChange, "item" | "expectedVersion" | "hooks" | "comments">;
  /** Hooks before those about labels and status. */
  readonly hooks?: readonly PlannedHook[];
  /** Hooks after them, from the changed item. */
  readonly after?: (item: WorkItem) => readonly PlannedHook[];
  readonly comments?: readonly Omit<AuditComment, "at">[];
}

function change(
  { record: { item }, now }: DecidedClaim,
  members: Partial<WorkItem>,
  options: Omit<ItemChangeOptions, "now">,
): WorkChange {
  return itemChange(item, members, { now, ...options });
}

/** Builds the next version of an item, with the hooks and comments of the change. */
export function itemChange(
  item: WorkItem,
  members: Partial<WorkItem>,
  { now, rest = {}, hooks = [], after = () => [], comments = [] }: ItemChangeOptions,
): WorkChange {
  const at = isoTime(now);
  const changed: WorkItem = { ...item, ...members, version: item.version + 1, updatedAt: at };
  return {
    ...rest,
    item: changed,
    expectedVersion: item.version,
    hooks: toMessages(changed, [...hooks, ...changesOf(item, changed), ...after(changed)]),
    comments: comments.map((comment) => ({ ...comment, at })),
  };
}

function settle({ claim, now }: Pick<DecidedClaim, "claim" | "now">, decision: ClaimDecision): Claim {
  const { outcome, code, text } = decision;
  const fix = outcome === "rejected" ? { fix: decision.fix } : {};
  return { ...claim, processed: true, processed_at: isoTime(now), outcome, code, text, ...fix };
}

function artifactRow(
  { phase, artifacts }: WorkItem,
  artifact: Artifact,
  status: ItemArtifact["status"],
): readonly ItemArtifact[] {
  if (artifact.status !== "found") return [];
  const revision = artifacts.filter((row) => row.phase === phase).length + 1;
  return [{ phase, path: artifact.path, status, revision, hash: artifact.hash }];
}

function snapshotOf(artifact: Artifact): Pick<WorkChange, "snapshots"> {
  return artifact.status === "found" ? { snapshots: [{ hash: artifact.hash, text: artifact.text }] } : {};
}

/** True if a review is waiting for an answer. */
export function isOpen({ state }: ClaimReview): boolean {
  return state === "open" || state === "person";
}
