import type { Artifact, ArtifactSource } from "./artifact.ts";
import type { Claim } from "./claim-schema.ts";
import { decisionToChange, documentedStatus, isOpen, supersededBy } from "./claim-change.ts";
import { contractFor, type ContractSet } from "./contract-set.ts";
import { type ClaimDecision, decideClaim } from "./decide-claim.ts";
import { invalidInput } from "./errors.ts";
import { expireRevisions } from "./expire-revisions.ts";
import { itemsHaving, pendingReviews } from "./items-having.ts";
import { type Judge, judgeReviews } from "./judge-reviews.ts";
import type { StructuralChecks } from "./structural-checks.ts";
import { readArtifact, toSnapshot } from "./submit-claim.ts";
import { randomId, systemClock } from "./system.ts";
import type { EscalationTriggers } from "./triggers/escalation-triggers.ts";
import { updateItem } from "./update-item.ts";
import type { Review } from "./verdict-schema.ts";
import type { ItemStatus, WorkItem } from "./work-item.ts";
import type { WorkLog, WorkLogLine } from "./work-log.ts";
import type { WorkRecord, WorkStore } from "./work-store.ts";

/** What claims are decided with. */
export interface ProcessOptions {
  readonly contracts: ContractSet;
  /** For claims that came without a snapshot. */
  readonly artifacts?: ArtifactSource;
  /** The change an item's run has made, as a unified diff. */
  readonly diff?: (item: WorkItem, claim: Claim) => string | undefined | Promise<string | undefined>;
  /** Structural checks of your own, by name. */
  readonly checks?: StructuralChecks;
  /** Escalation triggers of your own, by name. */
  readonly triggers?: EscalationTriggers;
  /** Answers reviews. Without one they wait for `giveVerdict`. */
  readonly judge?: Judge;
  /** Resolves after some milliseconds: bounds how long a judge may take within one call. */
  readonly wait?: (ms: number) => Promise<void>;
  /** The status of an item that enters a phase; null for the end. @default ready is todo, the end is review, else backlog */
  readonly statusFor?: (phase: string | null) => ItemStatus;
  readonly log?: WorkLog;
  readonly clock?: () => number;
  readonly createId?: () => string;
}

/** What became of one claim. */
export type ClaimResult =
  | { readonly outcome: "advanced"; readonly claim: Claim; readonly item: WorkItem; readonly superseded: readonly string[] }
  | { readonly outcome: "rejected"; readonly claim: Claim; readonly item: WorkItem; readonly reason: string; readonly fix: string }
  | { readonly outcome: "stale"; readonly claim: Claim; readonly item: WorkItem }
  | { readonly outcome: "waiting"; readonly claim: Claim; readonly item: WorkItem; readonly reason: string; readonly review?: Review };

/** What one tick did; identifiers of claims, reviews and items. */
export interface ProcessResult {
  readonly advanced: readonly string[];
  readonly rejected: readonly string[];
  readonly stale: readonly string[];
  readonly waiting: readonly string[];
  /** Reviews nobody is working on. */
  readonly needsJudgeReview: readonly Review[];
  /** Items whose wait for a revision ran out. */
  readonly expired: readonly string[];
  /** Items that could not be processed, and why; the others were. */
  readonly failed: readonly { readonly item: string; readonly error: unknown }[];
}

/**
 * Decides one claim and writes what follows, in one transaction. Asking again about a claim that was decided gives what
 * was decided then.
 *
 * @throws UNKNOWN_ITEM, INVALID_INPUT
 */
export async function processClaim(store: WorkStore, { item: itemId, claim: claimId }: { readonly item: string; readonly claim: string }, options: ProcessOptions): Promise<ClaimResult> {
  const { contracts, artifacts, diff, checks, triggers, statusFor = documentedStatus, log, clock = systemClock, createId = randomId } = options;
  const { result, lines } = await updateItem(store, itemId, async (record) => {
    const found = record.claims.find(({ id }) => id === claimId);
    if (found === undefined) throw invalidInput("claim", [`item "${itemId}" has no claim "${claimId}"`]);
    if (found.processed) return { answer: { result: storedResult(record, found), lines: [] } };
    const { item, verdicts } = record;
    const contract = contractFor(contracts, item.phase);
    const artifact = await artifactOf({ store, record, claim: found, contracts, artifacts });
    const claim: Claim = found.snapshot === null ? { ...found, snapshot: toSnapshot(artifact) } : found;
    const decision = decideClaim({ item, claim, contracts, artifact, verdicts, diff: await diff?.(item, claim), checks, triggers });
    const change = decisionToChange({ record, claim, artifact, contract, decision, now: clock(), createId, statusFor });
    const settled = change?.claims?.find(({ id }) => id === claim.id) ?? claim;
    const reviews = [...record.reviews, ...(change?.reviews ?? [])];
    const answer = toResult({ record, claim: settled, item: change?.item ?? item, decision, reviews });
    return { change, answer: { result: answer, lines: isNews(decision, change !== undefined) ? logLines(item, { claim, artifact, decision }) : [] } };
  });
  if (log !== undefined) lines.forEach(log);
  return result;
}

/**
 * One tick: decides every undecided claim, asks judges, and lets waits for a revision run out. Safe to call from many
 * processes at once and to call again after a crash.
 *
 * @example
 * const { advanced, needsJudgeReview } = await processClaims(store, { contracts, artifacts });
 */
export async function processClaims(store: WorkStore, options: ProcessOptions): Promise<ProcessResult> {
  const results: ClaimResult[] = [];
  const failed: { item: string; error: unknown }[] = [];
  const decideAll = async (): Promise<void> => {
    for await (const itemId of itemsHaving(store, "open-claim")) {
      try {
        const record = await store.load(itemId);
        for (const { id } of record?.claims.filter(({ processed }) => !processed) ?? []) results.push(await processClaim(store, { item: itemId, claim: id }, options));
      } catch (error) {
        failed.push({ item: itemId, error });
      }
    }
  };
  await decideAll();
  if (options.judge !== undefined && (await judgeReviews(store, { ...options, judge: options.judge })) > 0) await decideAll();
  const expired = await expireRevisions(store, options);
  const of = (outcome: ClaimResult["outcome"]): readonly string[] => [...new Set(results.filter((result) => result.outcome === outcome).map(({ claim }) => claim.id))];
  const stale = [...of("stale"), ...results.flatMap((result) => (result.outcome === "advanced" ? result.superseded : []))];
  const decided = new Set([...of("advanced"), ...of("rejected"), ...stale]);
  return {
    advanced: of("advanced"),
    rejected: of("rejected"),
    stale: [...new Set(stale)],
    waiting: of("waiting").filter((id) => !decided.has(id)),
    needsJudgeReview: await pendingReviews(store, options),
    expired,
    failed,
  };
}

interface ArtifactWanted {
  readonly store: WorkStore;
  readonly record: WorkRecord;
  readonly claim: Claim;
  readonly contracts: ContractSet;
  readonly artifacts: ArtifactSource | undefined;
}

/** The artifact as it was at claim time; read now only when nobody read it then. */
async function artifactOf({ store, record: { item }, claim, contracts, artifacts }: ArtifactWanted): Promise<Artifact> {
  const { snapshot } = claim;
  // A claim that will be dropped anyway costs no reading.
  if (item.phase !== claim.completed_phase || item.entry !== claim.entry) return { status: "none" };
  if (snapshot === null) return artifacts === undefined ? { status: "none" } : readArtifact(item, contractFor(contracts, claim.completed_phase), artifacts);
  if (snapshot.status !== "found") return snapshot;
  const text = await store.readSnapshot(snapshot.hash);
  return text === undefined ? { status: "missing", path: snapshot.path } : { ...snapshot, text };
}

interface Decided {
  readonly record: WorkRecord;
  readonly claim: Claim;
  readonly item: WorkItem;
  readonly decision: ClaimDecision;
  readonly reviews: readonly Review[];
}

function toResult({ record, claim, item, decision, reviews }: Decided): ClaimResult {
  switch (decision.decision) {
    case "discard":
      return { outcome: "stale", claim, item };
    case "reject":
      return { outcome: "rejected", claim, item, reason: decision.reason, fix: decision.fix };
    case "advance":
      return { outcome: "advanced", claim, item, superseded: supersededBy(record, claim).map(({ id }) => id) };
    case "wait": {
      const review = reviews.findLast((candidate) => isOpen(candidate) && candidate.entry === claim.entry);
      return { outcome: "waiting", claim, item, reason: decision.text, ...(review !== undefined && { review }) };
    }
  }
}

function storedResult({ item }: WorkRecord, claim: Claim): ClaimResult {
  switch (claim.outcome) {
    case "advanced":
      return { outcome: "advanced", claim, item, superseded: [] };
    case "rejected":
      return { outcome: "rejected", claim, item, reason: claim.rejection_reason?.split(":")[0] ?? "", fix: claim.fix_instructions ?? "" };
    case "stale":
    case undefined:
      return { outcome: "stale", claim, item };
  }
}

/** A claim that simply goes on waiting is not worth a line on every tick. */
function isNews(decision: ClaimDecision, changed: boolean): boolean {
  return changed || decision.decision !== "wait" || (decision.reason !== "judge" && decision.reason !== "held");
}

function logLines({ id: identifier, phase }: WorkItem, { claim, artifact, decision }: { readonly claim: Claim; readonly artifact: Artifact; readonly decision: ClaimDecision }): readonly WorkLogLine[] {
  const context = { identifier, phase, claim_id: claim.id };
  const warned: readonly WorkLogLine[] = artifact.status === "found" && artifact.warning !== undefined ? [{ ...context, level: "warn", event: "artifact_warning", reason: "artifact_from_project", text: artifact.warning }] : [];
  switch (decision.decision) {
    case "discard":
      return [{ ...context, level: "info", event: "claim_stale", reason: decision.reason, text: decision.text }];
    case "reject": {
      const { reason, text, verdict } = decision;
      const details = verdict === undefined ? {} : { verdict: { id: verdict.id, judge: verdict.judge, reason: verdict.reason, fix_instructions: verdict.fix_instructions } };
      return [...warned, { ...context, level: "warn", event: "claim_rejected", reason, text, ...details }];
    }
    case "wait":
      return [{ ...context, level: decision.reason === "judge" || decision.reason === "held" ? "info" : "warn", event: "claim_waiting", reason: decision.reason, text: decision.text }];
    case "advance":
      return [...warned, { ...context, level: "info", event: "claim_advanced", reason: decision.by, text: decision.to === null ? "completed" : `now in "${decision.to}"` }];
  }
}
