import type { Artifact, ArtifactSource } from "../contract/artifact.ts";
import type { Claim } from "./claim-schema.ts";
import { decisionToChange, documentedStatus, isOpen, superseded } from "./claim-change.ts";
import { contractFor, type ContractSet } from "../contract/contract-set.ts";
import { type ClaimDecision, type ClaimOutcome, decideClaim, decideWithoutArtifact } from "./decide-claim.ts";
import type { Contract } from "../contract/contract-schema.ts";
import { invalidInput, noArtifactSource } from "../errors.ts";
import { type ExpiryOptions, expireRevisions } from "../items/expire-revisions.ts";
import { takeItems, type LeaseOptions, type TakenItem } from "../items/take-items.ts";
import { type ClaimJudgeOptions, judgeReviews } from "../reviews/judge-reviews.ts";
import type { StructuralChecks } from "../contract/structural-checks.ts";
import { readArtifact, toSnapshot } from "./submit-claim.ts";
import { randomId, systemClock } from "../system.ts";
import type { EscalationTriggers } from "../triggers/escalation-triggers.ts";
import { updateItem } from "../items/update-item.ts";
import type { ClaimReview, Verdict } from "../reviews/verdict-schema.ts";
import type { ItemStatus, WorkItem } from "../items/work-item.ts";
import type { WorkLog, WorkLogLine } from "../items/work-log.ts";
import type { WorkChange, WorkRecord, WorkStore } from "../stores/work-store.ts";

/** Options for deciding claims. */
export interface ProcessOptions extends LeaseOptions, ClaimJudgeOptions, ExpiryOptions {
  readonly contracts: ContractSet;
  /** Source of artifacts. Without it, contracts have no artifacts. */
  readonly artifacts?: ArtifactSource;
  /** Returns the change of an item's run as a unified diff, for the triggers. @default no diff */
  readonly diff?: (item: WorkItem, claim: Claim) => string | undefined | Promise<string | undefined>;
  /** Structural checks of your own, by name. @default the built-in ones */
  readonly checks?: StructuralChecks;
  /** Escalation triggers of your own, by name. @default the built-in ones */
  readonly triggers?: EscalationTriggers;
  /**
   * Status of an item that enters a phase; null is the end.
   *
   * @default "todo" for ready, "review" for the end, else "backlog"
   */
  readonly statusFor?: (phase: string | null) => ItemStatus;
  /** Receives structured lines about decisions. @default none */
  readonly log?: WorkLog;
  /**
   * Time for which no worker looks again at an item whose claims wait, unless the item changes: for workers that tick
   * again and again. @default 0
   */
  readonly restMs?: number;
  /** @default the store's clock in a tick, else the clock of the machine */
  readonly clock?: () => number;
  /** @default 128 random bits */
  readonly createId?: () => string;
}

/** A decision on a claim, as ticks, tools and `decide()` report it. */
export interface ClaimResult {
  readonly outcome: ClaimOutcome;
  /** The reason, for programs, such as `sections_missing`. */
  readonly code: string;
  /** The reason, for people and agents. */
  readonly text: string;
  /** On a rejection: steps for the agent, one per line. */
  readonly fix?: string;
  readonly claim: string;
  readonly item: string;
  /** The phase the claim is for. */
  readonly phase: string;
  /** On an advance: the phase the item is in now; null if it completed its last one. */
  readonly to?: string | null;
}

/** Result of one tick: the changes that this tick made, and no others. A change is in the result of one tick. */
export interface TickResult {
  readonly advanced: readonly ClaimResult[];
  readonly rejected: readonly ClaimResult[];
  readonly stale: readonly ClaimResult[];
  /** Claims that wait since this tick, or for another reason than before. */
  readonly waiting: readonly ClaimResult[];
  /** Reviews to dispatch: opened in this tick if there is no `judge`, or passed to a person in this tick. */
  readonly needsJudgeReview: readonly ClaimReview[];
  /** Items whose revision expired. */
  readonly expired: readonly string[];
  /** Items that failed, with the error. The other items were processed. */
  readonly failed: readonly { readonly item: string; readonly error: unknown }[];
}

/** A decision, and the claim and item after it. */
export interface DecidedOne {
  readonly result: ClaimResult;
  readonly claim: Claim;
  readonly item: WorkItem;
  /** The change that this decision wrote; undefined if it was written before, by this worker or another. */
  readonly change: WorkChange | undefined;
}

/**
 * Decides one claim and writes the result in one transaction. For a decided claim, it returns the stored result.
 *
 * @throws UNKNOWN_ITEM, INVALID_INPUT, NO_ARTIFACT_SOURCE
 */
export async function processClaim(
  store: WorkStore,
  { item: given, claim: claimId }: { readonly item: string | WorkRecord; readonly claim: string },
  options: ProcessOptions,
): Promise<DecidedOne> {
  const { contracts, diff, checks, triggers, log, clock = systemClock, createId = randomId } = options;
  const { lines, ...decided } = await updateItem<DecidedOne & { readonly lines: readonly WorkLogLine[] }>(
    store,
    given,
    async (record) => {
      const { item, verdicts } = record;
      const found = record.claims.find(({ id }) => id === claimId);
      if (found === undefined) throw invalidInput("claim", [`item "${item.id}" has no claim "${claimId}"`]);
      if (found.processed)
        return { answer: { result: storedResult(found), claim: found, item, change: undefined, lines: [] } };
      // A claim that is wrong in itself is decided before the artifact is read.
      const early = decideWithoutArtifact({ item, claim: found, contracts, verdicts });
      const artifact = early === undefined ? await artifactOf(store, { item, claim: found }, options) : NONE;
      const claim: Claim =
        early === undefined && found.snapshot === null ? { ...found, snapshot: toSnapshot(artifact) } : found;
      const decision =
        early ??
        decideClaim({ item, claim, contracts, artifact, verdicts, diff: await diff?.(item, claim), checks, triggers });
      const change = decisionToChange({
        record,
        claim,
        artifact,
        contract: contractFor(contracts, item.phase),
        decision,
        now: clock(),
        createId,
        statusFor: options.statusFor ?? documentedStatus,
      });
      return {
        change,
        answer: {
          result: toResult(decision, claim),
          claim: change?.claims?.find(({ id }) => id === claim.id) ?? claim,
          item: change?.item ?? item,
          change,
          // A claim that is still waiting for the same reason gets no line, or every tick would write one.
          lines: change === undefined ? [] : logLines(item, { claim, artifact, decision }),
        },
      };
    },
  );
  for (const line of lines) log?.(line);
  return decided;
}

/**
 * Runs one tick: decides every undecided claim, asks judges, and expires revisions. Takes 16 items at a time and asks
 * `artifacts`, `diff` and `checks` about several of them in parallel. Any number of processes can call it: they share
 * the items, and each reports what it changed. Safe to call again after a crash.
 */
export async function processClaims(store: WorkStore, options: ProcessOptions): Promise<TickResult> {
  // The last decision of this tick on each claim: one that waited for a judge may have advanced since.
  const results = new Map<string, ClaimResult>();
  const opened: ClaimReview[] = [];
  const failed: { item: string; error: unknown }[] = [];
  const { judge, restMs = 0 } = options;
  const note = ({ result, claim, change }: DecidedOne): void => {
    if (change === undefined) return;
    results.set(claim.id, result);
    opened.push(...(change.reviews ?? []).filter(isOpen));
    if (result.outcome !== "advanced") return;
    for (const other of change.claims ?? [])
      if (other.id !== claim.id) results.set(other.id, toResult(superseded(claim), other));
  };
  const decideItem = async ({ record, now }: TakenItem): Promise<number> => {
    const item = record.item.id;
    const timed = { ...options, clock: options.clock ?? (() => now) };
    try {
      // The first decision is made on what was taken; it may change the item for the others.
      for (const [index, { id }] of record.claims.filter(({ processed }) => !processed).entries())
        note(await processClaim(store, { item: index === 0 ? record : item, claim: id }, timed));
      return restMs;
    } catch (error) {
      failed.push({ item, error });
      return 0;
    }
  };
  const decideAll = (): Promise<void> => takeItems(store, "open-claim", { ...options, work: decideItem });
  await decideAll();
  const judged = judge === undefined ? undefined : await judgeReviews(store, { ...options, judge });
  if (judged !== undefined && judged.verdicts > 0) await decideAll();
  const expired = await expireRevisions(store, options);
  const of = (outcome: ClaimOutcome): readonly ClaimResult[] =>
    [...results.values()].filter((result) => result.outcome === outcome);
  return {
    advanced: of("advanced"),
    rejected: of("rejected"),
    stale: of("stale"),
    waiting: of("waiting"),
    // A judge of this tick answers the reviews it opened, now or in a later tick.
    needsJudgeReview: judged?.toPerson ?? opened.filter(({ claim_id }) => results.get(claim_id)?.outcome === "waiting"),
    expired,
    failed,
  };
}

const NONE: Artifact = { status: "none" };

/** The artifact at claim time; read now only if the claim has no snapshot. */
async function artifactOf(
  store: WorkStore,
  { item, claim: { snapshot } }: { readonly item: WorkItem; readonly claim: Claim },
  { contracts, artifacts }: Pick<ProcessOptions, "contracts" | "artifacts">,
): Promise<Artifact> {
  if (snapshot === null) return readWithSource(item, { contract: contractFor(contracts, item.phase), artifacts });
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

function toResult(decision: ClaimDecision, { id: claim, item_id: item, completed_phase: phase }: Claim): ClaimResult {
  const { outcome, code, text } = decision;
  return {
    outcome,
    code,
    text,
    claim,
    item,
    phase,
    ...(outcome === "rejected" && { fix: decision.fix }),
    ...(outcome === "advanced" && { to: decision.to }),
  };
}

function storedResult({ outcome = "stale", code = "", text = "", fix, ...claim }: Claim): ClaimResult {
  const { id, item_id: item, completed_phase: phase } = claim;
  return { outcome, code, text, claim: id, item, phase, ...(fix !== undefined && { fix }) };
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
            code: "artifact_from_project",
            text: artifact.warning,
          },
        ]
      : [];
  const { outcome, code, text } = decision;
  const line = { ...context, code, text };
  switch (outcome) {
    case "stale":
      return [{ ...line, level: "info", event: "claim_stale" }];
    case "rejected":
      return [...warned, { ...line, level: "warn", event: "claim_rejected", ...verdictDetails(decision.verdict) }];
    case "waiting":
      return [{ ...line, level: code === "judge" || code === "held" ? "info" : "warn", event: "claim_waiting" }];
    case "advanced":
      return [...warned, { ...line, level: "info", event: "claim_advanced" }];
  }
}

function verdictDetails(verdict: Verdict | undefined): Pick<WorkLogLine, "verdict"> {
  if (verdict === undefined) return {};
  const { id, judge, reason, fix_instructions } = verdict;
  return { verdict: { id, judge, reason, fix_instructions } };
}
