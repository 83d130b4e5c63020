import { assertNumbers, defined } from "@phasekit/core/adapter";
import type { PlainTool, Run } from "@phasekit/core";
import type { Claim, ClaimInput } from "./claims/claim-schema.ts";
import { completePhaseTool, type CompletePhaseOptions } from "./claims/complete-phase-tool.ts";
import {
  type ClaimResult,
  processClaim,
  processClaims,
  type ProcessOptions,
  type TickResult,
} from "./claims/process-claims.ts";
import { type ClaimOptions, submitClaim } from "./claims/submit-claim.ts";
import type { ContractSet } from "./contract/contract-set.ts";
import { addItem } from "./items/add-item.ts";
import { deliverHooks, type DeliverOptions } from "./items/deliver-hooks.ts";
import { followItem } from "./items/follow-item.ts";
import { endItemRun, releaseItem, startItemRun } from "./items/item-runs.ts";
import { pendingReviews } from "./items/items-having.ts";
import type { NewItem, WorkItem } from "./items/work-item.ts";
import { giveVerdict } from "./reviews/give-verdict.ts";
import type { ClaimReview, VerdictInput } from "./reviews/verdict-schema.ts";
import { verdictTool } from "./reviews/verdict-tool.ts";
import { createMemoryWorkStore } from "./stores/memory-store.ts";
import type { WorkStore } from "./stores/work-store.ts";

/** Options for `createPipeline()`. Only `contracts` is required. */
export interface PipelineOptions extends ProcessOptions, DeliverOptions {
  /** Where items, claims and messages are kept. @default a store in memory */
  readonly store?: WorkStore;
  /** Maximum number of undecided claims of an item. @default 16 */
  readonly maxOpenClaims?: number;
}

/** Counts of a delivery. Failed messages are retried. */
export interface DeliveredHooks {
  readonly delivered: number;
  readonly failed: number;
}

/** A pipeline of phases: items move through it by claims that meet the contract of their phase. */
export interface Pipeline {
  readonly store: WorkStore;
  readonly contracts: ContractSet;
  /**
   * Adds a work item. Its default phase is the first one of the contracts.
   *
   * @throws INVALID_INPUT, DUPLICATE_ITEM
   */
  readonly add: (item: NewItem) => Promise<WorkItem>;
  /**
   * Records the claim that the item's phase is complete, with the current artifact. A tick decides it.
   *
   * @throws INVALID_INPUT, UNKNOWN_ITEM, CLAIM_CONFLICT, TOO_MANY_CLAIMS
   */
  readonly submit: (item: string, claim: ClaimInput, options?: ClaimOptions) => Promise<Claim>;
  /**
   * Decides one claim now: for a queue or an engine that hands out claims. Returns the stored result of a decided one.
   *
   * @throws UNKNOWN_ITEM, INVALID_INPUT, NO_ARTIFACT_SOURCE
   */
  readonly decide: (item: string, claim: string) => Promise<ClaimResult>;
  /**
   * Decides all undecided claims, asks the judge, expires revisions, and delivers messages if there is a `deliver`. Any
   * number of processes can call it; each returns what it changed itself. Safe to call again after a crash.
   */
  readonly tick: () => Promise<TickResult & { readonly hooks: DeliveredHooks }>;
  /** Delivers the messages that are due, without a tick. */
  readonly deliverHooks: () => Promise<DeliveredHooks>;
  /** Returns the open reviews that no judge is working on: for a dispatcher, or as a list for people. */
  readonly reviews: () => Promise<readonly ClaimReview[]>;
  /**
   * Gives a verdict on a review, from a person or a script. The next tick applies it.
   *
   * @throws INVALID_INPUT, UNKNOWN_REVIEW
   */
  readonly giveVerdict: (review: string, verdict: VerdictInput & { readonly judge: string }) => Promise<void>;
  /**
   * Records that a run starts to work on an item. If the item has had its `max_runs`, it is held for a person instead.
   *
   * @throws UNKNOWN_ITEM, ITEM_HELD
   */
  readonly startRun: (
    item: string,
    run: { readonly runId: string; readonly worktreePath?: string },
  ) => Promise<WorkItem>;
  /** Records that a run no longer works on an item. */
  readonly endRun: (item: string, run: { readonly runId: string }) => Promise<void>;
  /** Releases a held item after a person's review. Returns false if it was not held. */
  readonly release: (item: string, by: { readonly by: string; readonly note?: string }) => Promise<boolean>;
  /**
   * Moves a run to the phase of its item, and records a verdict that arrived after the claim's turn. Call it after a
   * tick, or when a run resumes. The item never follows the run.
   */
  readonly follow: (run: Run, item: string) => Promise<void>;
  /**
   * Creates the tool `complete_phase` for an agent, bound to one item and run. It decides by the same rules as a tick;
   * a problem that the agent can fix in its turn costs no rejection.
   *
   * @throws NO_ARTIFACT_SOURCE
   */
  readonly completePhaseTool: (item: string, options?: CompletePhaseOptions) => PlainTool;
  /** Creates the tool `give_verdict` for a judging agent, bound to one review. */
  readonly verdictTool: (review: string, options: { readonly judge: string }) => PlainTool;
}

/**
 * Creates a pipeline: contracts, a store, and everything that moves items through the phases.
 *
 * @example
 * const pipeline = createPipeline({ store, contracts, artifacts: createArtifactFiles({ projectRoot }), judge });
 * await pipeline.add({ id: "SYM-001" });
 * const { advanced, rejected } = await pipeline.tick();
 * @throws INVALID_OPTION; its methods INVALID_INPUT, UNKNOWN_ITEM, DUPLICATE_ITEM, UNKNOWN_REVIEW, CLAIM_CONFLICT,
 *   TOO_MANY_CLAIMS, ITEM_HELD, NO_ARTIFACT_SOURCE
 */
export function createPipeline({ store = createMemoryWorkStore(), ...options }: PipelineOptions): Pipeline {
  const { contracts, judgeAttempts, judgeConcurrency, hookAttempts, hookRetryMs } = options;
  const { leaseMs, restMs, maxOpenClaims, maxExpiries } = options;
  assertNumbers(defined({ judgeAttempts, judgeConcurrency, hookAttempts, maxOpenClaims, leaseMs }), { atLeast: 1 });
  assertNumbers(defined({ hookRetryMs, restMs, maxExpiries }));
  return {
    store,
    contracts,
    add: (item) => addItem(store, item, options),
    submit: (item, claim, more) => submitClaim(store, { ...claim, item }, { ...options, ...more }),
    decide: async (item, claim) => (await processClaim(store, { item, claim }, options)).result,
    tick: async () => ({ ...(await processClaims(store, options)), hooks: await deliverHooks(store, options) }),
    deliverHooks: () => deliverHooks(store, options),
    reviews: () => pendingReviews(store, options),
    giveVerdict: (review, verdict) => giveVerdict(store, { ...verdict, review }, options),
    startRun: (item, run) => startItemRun(store, { ...options, ...run, item }),
    endRun: (item, run) => endItemRun(store, { ...options, ...run, item }),
    release: (item, by) => releaseItem(store, { ...options, ...by, item }),
    follow: async (run, item) => followItem(run, { record: await store.load(item), contracts }),
    completePhaseTool: (item, { run } = {}) =>
      completePhaseTool({ store, item, options, ...(run !== undefined && { run }) }),
    verdictTool: (review, { judge }) => verdictTool({ ...options, store, review, judge }),
  };
}
