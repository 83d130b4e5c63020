/** Who wants what, and for how long without a sign of life. */
export interface LeaseRequest {
  readonly resource: string;
  readonly holder: string;
  /** How long the lease lasts unless it is renewed. */
  readonly ttlMs: number;
  /** How long it may last however often it is renewed. */
  readonly maxHoldMs: number;
  /** A holder that has the lease already gets a new fence: for a process that takes the place of one that died. @default false */
  readonly takeOver?: boolean;
}

/** A resource held by one holder. */
export interface Lease {
  readonly resource: string;
  readonly holder: string;
  /** Grows with every new holding of the resource: a write with an older one comes from somebody who lost it. */
  readonly fence: number;
  /** Times by the store's clock. They are for people and estimates; the store alone decides what has expired. */
  readonly grantedAt: number;
  readonly expiresAt: number;
  /** When it ends however often it is renewed. */
  readonly endsAt: number;
}

/** What a request for a lease is answered. */
export type LeaseAnswer =
  | { readonly status: "granted"; readonly lease: Lease }
  | { readonly status: "queued"; readonly position: number; readonly estimateMs: number; readonly holder: string }
  /** The queue is full; nothing was remembered. */
  | { readonly status: "refused"; readonly holder: string; readonly queued: number };

/** Names one holding. */
export type LeaseClaim = Pick<Lease, "resource" | "holder" | "fence">;

/** Who holds a resource and who waits for it, first come first. */
export interface LeaseStatus {
  readonly lease: Lease | undefined;
  readonly queue: readonly string[];
}

/**
 * Leases on named resources: one holder at a time, a queue in order of arrival, expiry, fencing. The store decides what
 * time it is. Every method is atomic; all stores pass `describeLeaseStore`.
 */
export interface LeaseStore {
  /**
   * Asks for a lease. A holder that asks again is granted what it holds, a waiting one is told its place; so polling is
   * asking again. A resource that becomes free goes to the first in the queue, who then has to ask for it within its
   * `ttlMs`.
   */
  readonly acquire: (request: LeaseRequest) => Promise<LeaseAnswer>;
  /** A sign of life: the lease lasts `ttlMs` from now, never past its end. `undefined` when it is no longer held with this fence. */
  readonly renew: (claim: LeaseClaim & { readonly ttlMs: number }) => Promise<Lease | undefined>;
  /** Gives it back; false when it was no longer held with this fence. */
  readonly release: (claim: LeaseClaim) => Promise<boolean>;
  /** Stops waiting; false when it was not waiting. */
  readonly withdraw: (waiting: { readonly resource: string; readonly holder: string }) => Promise<boolean>;
  readonly status: (resource: string) => Promise<LeaseStatus>;
  /** Takes a lease away whoever holds it: for operators. */
  readonly forceRelease: (resource: string) => Promise<boolean>;
  readonly close?: () => void | Promise<void>;
}
