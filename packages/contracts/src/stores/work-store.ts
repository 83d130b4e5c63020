import type { Json, JsonObject } from "@phasekit/core";
import type { Claim } from "../claims/claim-schema.ts";
import type { ClaimReview, Verdict } from "../reviews/verdict-schema.ts";
import type { WorkItem } from "../items/work-item.ts";

/** An item with its claims, verdicts and reviews, read at one moment. */
export interface WorkRecord {
  readonly item: WorkItem;
  /** Oldest first. */
  readonly claims: readonly Claim[];
  readonly verdicts: readonly Verdict[];
  readonly reviews: readonly ClaimReview[];
}

/** An advance. The store's keys allow at most one per phase entry and one per claim. */
export interface PhaseAdvance {
  readonly itemId: string;
  /** The phase entry that was left. */
  readonly entry: number;
  readonly from: string;
  /** Null if the last phase was completed. */
  readonly to: string | null;
  readonly claimId: string;
  readonly at: string;
}

/** A comment of the audit trail. */
export interface AuditComment {
  readonly kind:
    "advance" | "reject" | "skip" | "promotion" | "expiry" | "review" | "hold" | "release" | "change_request";
  readonly text: string;
  readonly at: string;
}

/** A message to a hook. */
export interface HookMessage {
  /** Equal on every delivery, so that a receiver can ignore duplicates. */
  readonly id: string;
  readonly itemId: string;
  readonly name: HookName;
  readonly payload: JsonObject;
  readonly at: string;
}

/** Hooks, issue events, and the two jobs that run outside the transaction. */
export type HookName =
  | "on-phase-advance"
  | "phase_advance"
  | "phase_reject"
  | "phase_skip"
  | "status_change"
  | "label_add"
  | "label_remove"
  | "pr_created"
  | "create_change_request"
  | "promote_artifact";

/** A message that is due for delivery. */
export interface DueHook extends HookMessage {
  /** Deliveries before this one. */
  readonly attempts: number;
}

/** One atomic write. */
export interface WorkChange {
  /** The changed item. Its version is `expectedVersion` + 1. */
  readonly item: WorkItem;
  readonly expectedVersion: number;
  /** New or changed claims, verdicts and reviews, by id. */
  readonly claims?: readonly Claim[];
  readonly verdicts?: readonly Verdict[];
  readonly reviews?: readonly ClaimReview[];
  readonly advance?: PhaseAdvance;
  readonly comments?: readonly AuditComment[];
  readonly hooks?: readonly HookMessage[];
  /** Artifact texts by their hash. */
  readonly snapshots?: readonly { readonly hash: string; readonly text: string }[];
}

/** Filter for listing items. */
export interface ItemQuery {
  readonly phase?: string;
  readonly status?: WorkItem["status"];
  /** Only items with open work: an undecided claim, a pending revision, an open review. */
  readonly having?: LeasedWork | "open-review";
  /** Only identifiers after this one, for paging. */
  readonly after?: string;
  /** @default 1000 */
  readonly limit?: number;
}

/** Open work that workers lease before they look at it: an undecided claim, a pending revision. */
export type LeasedWork = "open-claim" | "revision";

/** Items that one worker holds until it releases them or the lease ends. */
export interface ItemLease {
  /** Names the holder when it releases them. */
  readonly token: string;
  /** Time of the store's clock when it granted the lease. */
  readonly now: number;
  /** In the order of their identifiers. */
  readonly records: readonly WorkRecord[];
}

/** An item that its holder gives back. */
export interface ReleasedItem {
  readonly id: string;
  /** The version the holder read. */
  readonly version: number;
  /** No worker takes this version for the same work before this time has passed. 0: it can be taken immediately. */
  readonly restMs: number;
}

/** Advances and comments of an item. */
export interface WorkHistory {
  readonly advances: readonly PhaseAdvance[];
  readonly comments: readonly AuditComment[];
}

/** Result of a delivery. */
export type HookSettlement =
  | { readonly delivered: true }
  | { readonly delivered: false; readonly error: string; readonly retryMs: number }
  | { readonly delivered: false; readonly error: string; readonly parked: true };

/**
 * Store of work items. Every store passes `describeWorkStore`. Leases and retries are durations in milliseconds, and
 * the store's own clock decides when they end: the clocks of workers need not agree. Stored times are ISO texts.
 */
export interface WorkStore {
  /** Adds an item. Returns false if its id is taken. */
  readonly create: (item: WorkItem) => Promise<boolean>;
  readonly load: (itemId: string) => Promise<WorkRecord | undefined>;
  /** Makes one change, all or nothing. Returns false if the item is not at `expectedVersion`. */
  readonly commit: (change: WorkChange) => Promise<boolean>;
  /** Identifiers of items, in order. */
  readonly list: (query?: ItemQuery) => Promise<readonly string[]>;
  /** The claim with this idempotency key, decided or not. */
  readonly findClaim: (idempotencyKey: string) => Promise<Claim | undefined>;
  /** The item a review belongs to. */
  readonly findReview: (reviewId: string) => Promise<{ readonly itemId: string } | undefined>;
  readonly readSnapshot: (hash: string) => Promise<string | undefined>;
  readonly history: (itemId: string) => Promise<WorkHistory>;
  /**
   * Leases items with open work that no worker holds, in the order of their identifiers. Workers that ask at the same
   * time get different items and do not wait for each other. A worker that dies loses its lease after `leaseMs`.
   */
  readonly takeItems: (options: {
    readonly having: LeasedWork;
    readonly leaseMs: number;
    readonly limit: number;
    /** Only identifiers after this one, for paging. */
    readonly after?: string;
  }) => Promise<ItemLease>;
  /** Ends a lease. Items that another worker has taken since are left to it. */
  readonly releaseItems: (token: string, items: readonly ReleasedItem[]) => Promise<void>;
  /** Leases messages that are due for `leaseMs`: only the oldest of each item, to keep the order. */
  readonly takeHooks: (options: { readonly leaseMs: number; readonly limit: number }) => Promise<readonly DueHook[]>;
  readonly settleHook: (id: string, settlement: HookSettlement) => Promise<void>;
  /** Forgets delivered messages whose last lease ended longer ago, at most `limit`. Returns how many. */
  readonly removeDelivered?: (options: { readonly olderThanMs: number; readonly limit: number }) => Promise<number>;
  readonly close?: () => void;
}

/** A JSON copy of stored data, for payloads. */
export function toPayload(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
