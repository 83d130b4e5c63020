import type { Artifact, ArtifactSource } from "../contract/artifact.ts";
import type { Claim } from "./claim-schema.ts";
import { decisionToChange, documentedStatus, isOpen, supersededBy } from "./claim-change.ts";
import { contractFor, type ContractSet } from "../contract/contract-set.ts";
import { type ClaimDecision, decideClaim, decideWithoutArtifact } from "./decide-claim.ts";
import type { Contract } from "../contract/contract-schema.ts";
import { invalidInput, noArtifactSource } from "../errors.ts";
import { expireRevisions } from "../items/expire-revisions.ts";
import { pendingReviews } from "../items/items-having.ts";
import { takeItems, type LeaseOptions, type TakenItem } from "../items/take-items.ts";
import { type Judge, judgeReviews } from "../reviews/judge-reviews.ts";
import type { StructuralChecks } from "../contract/structural-checks.ts";
import { readArtifact, toSnapshot } from "./submit-claim.ts";
import { randomId, systemClock } from "../system.ts";
import type { EscalationTriggers } from "../triggers/escalation-triggers.ts";
import { updateItem } from "../items/update-item.ts";
import type { ClaimReview } from "../reviews/verdict-schema.ts";
import type { ItemStatus, WorkItem } from "../items/work-item.ts";
import type { WorkLog, WorkLogLine } from "../items/work-log.ts";
import type { WorkChange, WorkRecord, WorkStore } from "../stores/work-store.ts";

/** Options for `processClaim()` and `processClaims()`. */
export interface ProcessOptions extends LeaseOptions {
  readonly contracts: ContractSet;
  /** Source of artifacts for claims without a snapshot. */
  readonly artifacts?: ArtifactSource;
  /** Returns the change of an item's run as a unified diff. */
  readonly diff?: (item: WorkItem, claim: Claim) => string | undefined | Promise<string | undefined>;
  /** Structural checks of your own, by name. */
  readonly checks?: StructuralChecks;
  /** Escalation triggers of your own, by name. */
  readonly triggers?: EscalationTriggers;
  /** Answers reviews. Without it, reviews wait for `giveVerdict`. */
  readonly judge?: Judge;
  /** Resolves after `ms` milliseconds. Enforces `judge_timeout` within one call. */
  readonly wait?: (ms: number) => Promise<void>;
  /**
   * Status of an item that enters a phase; null is the end.
   *
   * @default "todo" for ready, "review" for the end, else "backlog"
   */
  readonly statusFor?: (phase: string | null) => ItemStatus;
  readonly log?: WorkLog;
  /**
   * Time for which no worker looks again at an item whose claims wait, unless the item changes: for workers that call
   * `processClaims()` again and again. @default 0
   */
  readonly restMs?: number;
  /** @default the store's clock in `processClaims()`, the clock of the machine in `processClaim()` */
  readonly clock?: () => number;
  readonly createId?: () => string;
}

/** Result of processing one claim. */
export type ClaimResult =
  | {
      readonly outcome: "advanced";
      readonly claim: Claim;
      readonly item: WorkItem;
      readonly superseded: readonly string[];
    }
  | {
      readonly outcome: "rejected";
      readonly claim: Claim;
      readonly item: WorkItem;
      readonly reason: string;
      readonly fix: string;
    }
  | { readonly outcome: "stale"; readonly claim: Claim; readonly item: WorkItem }
  | {
      readonly outcome: "waiting";
      readonly claim: Claim;
      readonly item: WorkItem;
      readonly reason: string;
      readonly review?: ClaimReview;
    };

/** Result of one tick: ids of claims and items, and open reviews. */
export interface ProcessResult {
  readonly advanced: readonly string[];
  readonly rejected: readonly string[];
  readonly stale: readonly string[];
  readonly waiting: readonly string[];
  /** Open reviews that no judge is working on. */
  readonly needsJudgeReview: readonly ClaimReview[];
  /** Items whose revision expired. */
  readonly expired: readonly string[];
  /** Items that failed, with the error. The other items were processed. */
  readonly failed: readonly { readonly item: string; readonly error: unknown }[];
}

/**
 * Decides one claim and writes the result in one transaction. For a decided claim, it returns the stored result.
 *
 * @throws UNKNOWN_ITEM, INVALID_INPUT, NO_ARTIFACT_SOURCE
 */
export async function processClaim(
  store: WorkStore,
  { item, claim }: { readonly item: string; readonly claim: string },
  options: ProcessOptions,
): Promise<ClaimResult> {
  return (await decideOne(store, { item, claim }, options)).result;
}

interface DecidedOne {
  readonly result: ClaimResult;
  /** False if another worker had decided the claim. */
  readonly isOwn: boolean;
}

async function decideOne(
  store: WorkStore,
  { item: given, claim: claimId }: { readonly item: string | WorkRecord; readonly claim: string },
  options: ProcessOptions,
): Promise<DecidedOne> {
  const {
    contracts,
    artifacts,
    diff,
    checks,
    triggers,
    statusFor = documentedStatus,
    log,
    clock = systemClock,
    createId = randomId,
  } = options;
  const decide = async (
    record: WorkRecord,
  ): Promise<{
    readonly change?: WorkChange | undefined;
    readonly answer: DecidedOne & { readonly lines: readonly WorkLogLine[] };
  }> => {
    const found = record.claims.find(({ id }) => id === claimId);
    if (found === undefined) throw invalidInput("claim", [`item "${record.item.id}" has no claim "${claimId}"`]);
    if (found.processed) return { answer: { result: storedResult(record, found), isOwn: false, lines: [] } };
    const { item, verdicts } = record;
    const contract = contractFor(contracts, item.phase);
    // A claim that is wrong in itself is decided before the artifact is read.
    const early = decideWithoutArtifact({ item, claim: found, contracts, verdicts });
    const artifact: Artifact =
      early === undefined
        ? await artifactOf({ store, record, claim: found, contracts, artifacts })
        : { status: "none" };
    const claim: Claim =
      early === undefined && found.snapshot === null ? { ...found, snapshot: toSnapshot(artifact) } : found;
    const decision =
      early ??
      decideClaim({
        item,
        claim,
        contracts,
        artifact,
        verdicts,
        diff: await diff?.(item, claim),
        checks,
        triggers,
      });
    const change = decisionToChange({ record, claim, artifact, contract, decision, now: clock(), createId, statusFor });
    const settled = change?.claims?.find(({ id }) => id === claim.id) ?? claim;
    const reviews = [...record.reviews, ...(change?.reviews ?? [])];
    return {
      change,
      answer: {
        result: toResult({ record, claim: settled, item: change?.item ?? item, decision, reviews }),
        isOwn: true,
        lines: isNews(decision, change !== undefined) ? logLines(item, { claim, artifact, decision }) : [],
      },
    };
  };
  const { lines, ...decided } = await updateItem(store, given, decide);
  if (log !== undefined) lines.forEach(log);
  return decided;
}

/**
 * Runs one tick: decides every undecided claim, asks judges, and expires revisions. Takes 16 items at a time and asks
 * `artifacts`, `diff` and `checks` about several of them in parallel. Any number of processes can call it: they share
 * the items, and each reports the claims that it decided. Safe to call again after a crash.
 *
 * @example
 * const { advanced, needsJudgeReview } = await processClaims(store, { contracts, artifacts });
 */
export async function processClaims(store: WorkStore, options: ProcessOptions): Promise<ProcessResult> {
  const results: ClaimResult[] = [];
  const failed: { item: string; error: unknown }[] = [];
  const { judge, restMs = 0 } = options;
  const decideItem = async ({ record, now }: TakenItem): Promise<number> => {
    const item = record.item.id;
    const timed = { ...options, clock: options.clock ?? (() => now) };
    try {
      // The first decision is made on what was taken; it may change the item for the others.
      for (const [index, { id }] of record.claims.filter(({ processed }) => !processed).entries()) {
        const { result, isOwn } = await decideOne(store, { item: index === 0 ? record : item, claim: id }, timed);
        if (isOwn) results.push(result);
      }
      return restMs;
    } catch (error) {
      failed.push({ item, error });
      return 0;
    }
  };
  const decideAll = (): Promise<void> => takeItems(store, "open-claim", { ...options, work: decideItem });
  await decideAll();
  if (judge !== undefined && (await judgeReviews(store, { ...options, judge })) > 0) await decideAll();
  const expired = await expireRevisions(store, options);
  const of = (outcome: ClaimResult["outcome"]): readonly string[] => [
    ...new Set(results.filter((result) => result.outcome === outcome).map(({ claim }) => claim.id)),
  ];
  const stale = [
    ...of("stale"),
    ...results.flatMap((result) => (result.outcome === "advanced" ? result.superseded : [])),
  ];
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

interface ArtifactQuery {
  readonly store: WorkStore;
  readonly record: WorkRecord;
  readonly claim: Claim;
  readonly contracts: ContractSet;
  readonly artifacts: ArtifactSource | undefined;
}

/** The artifact at claim time; read now only if the claim has no snapshot. */
async function artifactOf({ store, record: { item }, claim, contracts, artifacts }: ArtifactQuery): Promise<Artifact> {
  const { snapshot } = claim;
  // A stale claim will be dropped, so its artifact is not read.
  if (item.phase !== claim.completed_phase || item.entry !== claim.entry) return { status: "none" };
  if (snapshot === null)
    return readWithSource(item, { contract: contractFor(contracts, claim.completed_phase), artifacts });
  if (snapshot.status !== "found") return snapshot;
  const text = await store.readSnapshot(snapshot.hash);
  return text === undefined ? { status: "missing", path: snapshot.path } : { ...snapshot, text };
}

/**
 * Reads an artifact. A contract with an artifact needs a source; without one the host made a mistake, not the agent.
 *
 * @throws NO_ARTIFACT_SOURCE
 */
async function readWithSource(
  item: WorkItem,
  { contract, artifacts }: { readonly contract: Contract | undefined; readonly artifacts: ArtifactSource | undefined },
): Promise<Artifact> {
  if (contract?.artifact_path === undefined) return { status: "none" };
  if (artifacts === undefined) throw noArtifactSource(contract.phase);
  return readArtifact(item, contract, artifacts);
}

interface ResultInput {
  readonly record: WorkRecord;
  readonly claim: Claim;
  readonly item: WorkItem;
  readonly decision: ClaimDecision;
  readonly reviews: readonly ClaimReview[];
}

function toResult({ record, claim, item, decision, reviews }: ResultInput): ClaimResult {
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
      return {
        outcome: "rejected",
        claim,
        item,
        reason: claim.rejection_reason?.split(":")[0] ?? "",
        fix: claim.fix_instructions ?? "",
      };
    case "stale":
    case undefined:
      return { outcome: "stale", claim, item };
  }
}

/** False for a claim that is still waiting, to avoid a log line on every tick. */
function isNews(decision: ClaimDecision, changed: boolean): boolean {
  return changed || decision.decision !== "wait" || (decision.reason !== "judge" && decision.reason !== "held");
}

function logLines(
  { id: identifier, phase }: WorkItem,
  {
    claim,
    artifact,
    decision,
  }: { readonly claim: Claim; readonly artifact: Artifact; readonly decision: ClaimDecision },
): readonly WorkLogLine[] {
  const context = { identifier, phase, claim_id: claim.id };
  const warned: readonly WorkLogLine[] =
    artifact.status === "found" && artifact.warning !== undefined
      ? [
          {
            ...context,
            level: "warn",
            event: "artifact_warning",
            reason: "artifact_from_project",
            text: artifact.warning,
          },
        ]
      : [];
  switch (decision.decision) {
    case "discard":
      return [{ ...context, level: "info", event: "claim_stale", reason: decision.reason, text: decision.text }];
    case "reject": {
      const { reason, text, verdict } = decision;
      const details =
        verdict === undefined
          ? {}
          : {
              verdict: {
                id: verdict.id,
                judge: verdict.judge,
                reason: verdict.reason,
                fix_instructions: verdict.fix_instructions,
              },
            };
      return [...warned, { ...context, level: "warn", event: "claim_rejected", reason, text, ...details }];
    }
    case "wait":
      return [
        {
          ...context,
          level: decision.reason === "judge" || decision.reason === "held" ? "info" : "warn",
          event: "claim_waiting",
          reason: decision.reason,
          text: decision.text,
        },
      ];
    case "advance":
      return [
        ...warned,
        {
          ...context,
          level: "info",
          event: "claim_advanced",
          reason: decision.by,
          text: decision.to === null ? "completed" : `now in "${decision.to}"`,
        },
      ];
  }
}
