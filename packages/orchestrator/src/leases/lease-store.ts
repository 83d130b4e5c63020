/** A request for a lease. */
export interface LeaseRequest {
  readonly resource: string;
  readonly holder: string;
  /** Lifetime of the lease without renewal. */
  readonly ttlMs: number;
  /** Lifetime of the lease with renewals. */
  readonly maxHoldMs: number;
  /** Gives the current holder a new fence, for a process that replaces one that died. @default false */
  readonly takeOver?: boolean;
}

/** A resource held by one holder. */
export interface Lease {
  readonly resource: string;
  readonly holder: string;
  /** Grows with every grant of the resource. A write with an older fence comes from a holder that lost the lease. */
  readonly fence: number;
  /** Times by the store's clock, for people and estimates. Only the store decides what has expired. */
  readonly grantedAt: number;
  readonly expiresAt: number;
  /** End of the lease, even with renewals. */
  readonly endsAt: number;
}

/** Answer to a lease request. */
export type LeaseAnswer =
  | { readonly status: "granted"; readonly lease: Lease }
  | { readonly status: "queued"; readonly position: number; readonly estimateMs: number; readonly holder: string }
  /** The queue is full. The request was not stored. */
  | { readonly status: "refused"; readonly holder: string; readonly queued: number };

/** Identifies one grant of a lease. */
export type LeaseClaim = Pick<Lease, "resource" | "holder" | "fence">;

/** Holder and queue of a resource, in order of arrival. */
export interface LeaseStatus {
  readonly lease: Lease | undefined;
  readonly queue: readonly string[];
}

/**
 * Store of leases on named resources: one holder at a time, a queue in order of arrival, expiry and fencing, by the
 * store's clock. Every method is atomic. All stores pass `describeLeaseStore`.
 */
export interface LeaseStore {
  /**
   * Requests a lease. The holder gets its lease again, and a waiting holder gets its place, so poll by calling
   * `acquire` again. A free resource goes to the first in the queue, which must call `acquire` within its `ttlMs`.
   */
  readonly acquire: (request: LeaseRequest) => Promise<LeaseAnswer>;
  /** Extends the lease to `ttlMs` from now, never past its end. Returns undefined if this fence no longer holds it. */
  readonly renew: (claim: LeaseClaim & { readonly ttlMs: number }) => Promise<Lease | undefined>;
  /** Releases the lease. Returns false if this fence no longer holds it. */
  readonly release: (claim: LeaseClaim) => Promise<boolean>;
  /** Leaves the queue. Returns false if it was not waiting. */
  readonly withdraw: (waiting: { readonly resource: string; readonly holder: string }) => Promise<boolean>;
  readonly status: (resource: string) => Promise<LeaseStatus>;
  /** Takes the lease away from any holder. For operators. */
  readonly forceRelease: (resource: string) => Promise<boolean>;
  readonly close?: () => void | Promise<void>;
}
