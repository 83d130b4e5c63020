import type { Json, JsonObject } from "@phasekit/core";
import type { Claim } from "./claim-schema.ts";
import type { Review, Verdict } from "./verdict-schema.ts";
import type { WorkItem } from "./work-item.ts";

/** An item and everything that is decided about it, read at one moment. */
export interface WorkRecord {
  readonly item: WorkItem;
  /** Oldest first. */
  readonly claims: readonly Claim[];
  readonly verdicts: readonly Verdict[];
  readonly reviews: readonly Review[];
}

/** An advancement. There is at most one per stay in a phase and one per claim, by the store's own keys. */
export interface PhaseAdvance {
  readonly itemId: string;
  /** The stay that was left. */
  readonly entry: number;
  readonly from: string;
  /** Null when the last phase was completed. */
  readonly to: string | null;
  readonly claimId: string;
  readonly at: string;
}

/** A line of the audit trail people read. */
export interface AuditComment {
  readonly kind: "advance" | "reject" | "skip" | "promotion" | "expiry" | "review" | "hold" | "release" | "change_request";
  readonly text: string;
  readonly at: string;
}

/** What a hook is told. */
export interface HookMessage {
  /** The same on every delivery: what a receiver needs to take it once. */
  readonly id: string;
  readonly itemId: string;
  readonly name: HookName;
  readonly payload: JsonObject;
  readonly at: string;
}

/** Every hook and issue event, and the two jobs that are done outside the transaction. */
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

/** A message that is to be delivered now. */
export interface TakenHook extends HookMessage {
  /** Deliveries before this one. */
  readonly attempts: number;
}

/** One write: all of it happens, or nothing. */
export interface WorkChange {
  /** The item as it will be; its version is one more than `expectedVersion`. */
  readonly item: WorkItem;
  readonly expectedVersion: number;
  /** Claims, verdicts and reviews that are new or changed, by their id. */
  readonly claims?: readonly Claim[];
  readonly verdicts?: readonly Verdict[];
  readonly reviews?: readonly Review[];
  readonly advance?: PhaseAdvance;
  readonly comments?: readonly AuditComment[];
  readonly hooks?: readonly HookMessage[];
  /** Artifact texts by their hash. */
  readonly snapshots?: readonly { readonly hash: string; readonly text: string }[];
}

/** Which items to list. */
export interface ItemQuery {
  readonly phase?: string;
  readonly status?: WorkItem["status"];
  /** Only items with something to do: an undecided claim, a wait for a revision, an open review. */
  readonly having?: "open-claim" | "revision" | "open-review";
  /** Only identifiers after this one, for paging. */
  readonly after?: string;
  /** @default 1000 */
  readonly limit?: number;
}

/** What people may want to read of an item's past. */
export interface WorkHistory {
  readonly advances: readonly PhaseAdvance[];
  readonly comments: readonly AuditComment[];
}

/** How a delivery ended. */
export type HookSettlement = { readonly delivered: true } | { readonly delivered: false; readonly error: string; readonly retryAt: number } | { readonly delivered: false; readonly error: string; readonly parked: true };

/** Holds items. Every store passes `describeWorkStore`. Times are milliseconds; stored texts are ISO. */
export interface WorkStore {
  /** Adds an item; false when its identifier is taken. */
  readonly create: (item: WorkItem) => Promise<boolean>;
  readonly load: (itemId: string) => Promise<WorkRecord | undefined>;
  /** Makes one change, all or nothing; false when the item is no longer at `expectedVersion`. */
  readonly commit: (change: WorkChange) => Promise<boolean>;
  /** Identifiers of items, in order. */
  readonly list: (query?: ItemQuery) => Promise<readonly string[]>;
  /** The claim with this idempotency key, whatever became of it. */
  readonly findClaim: (idempotencyKey: string) => Promise<Claim | undefined>;
  /** The item a review belongs to. */
  readonly findReview: (reviewId: string) => Promise<{ readonly itemId: string } | undefined>;
  readonly readSnapshot: (hash: string) => Promise<string | undefined>;
  readonly history: (itemId: string) => Promise<WorkHistory>;
  /** Takes messages that are due, for `leaseMs`: of each item only its oldest, so that order is kept. */
  readonly takeHooks: (options: { readonly now: number; readonly leaseMs: number; readonly limit: number }) => Promise<readonly TakenHook[]>;
  readonly settleHook: (id: string, settlement: HookSettlement) => Promise<void>;
  readonly close?: () => void;
}

/** A JSON copy of stored data, for payloads. */
export function toPayload(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
