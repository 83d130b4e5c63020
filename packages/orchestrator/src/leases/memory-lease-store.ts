import { systemClock } from "@phasekit/core/adapter";
import { damagedLeases } from "../errors.ts";
import type { Lease, LeaseAnswer, LeaseClaim, LeaseRequest, LeaseStore } from "./lease-store.ts";

/** A change of a lease, reported when the store notices it. */
export interface LeaseEvent {
  readonly type: "granted" | "queued" | "released" | "expired";
  readonly resource: string;
  readonly holder: string;
  readonly fence?: number;
  readonly position?: number;
  readonly why?: "released" | "forced" | "ttl" | "max-hold";
}

/** All leases of a store as JSON, for a restart. */
export interface LeaseSnapshot {
  readonly version: 1;
  readonly resources: readonly ResourceState[];
}

/** Options for `createMemoryLeaseStore()`. All optional. */
export interface MemoryLeaseStoreOptions {
  /** @default Date.now */
  readonly clock?: () => number;
  /** Maximum number of waiting holders per resource. @default 100 */
  readonly maxQueue?: number;
  /** Result of `snapshot()` of an earlier store. Leases that have expired since are dropped. */
  readonly from?: LeaseSnapshot;
  readonly onEvent?: (event: LeaseEvent) => void;
}

interface ResourceState {
  readonly resource: string;
  lease: Lease | undefined;
  fence: number;
  readonly queue: LeaseRequest[];
  /** Durations of the last leases, for estimates. */
  readonly heldMs: number[];
}

const KEPT_DURATIONS = 20;

/**
 * Creates a lease store in the memory of one process.
 *
 * @throws DAMAGED_LEASES if `from` is not a snapshot
 */
export function createMemoryLeaseStore(
  options?: MemoryLeaseStoreOptions,
): LeaseStore & { readonly snapshot: () => LeaseSnapshot } {
  return new MemoryLeases(options);
}

class MemoryLeases implements LeaseStore {
  readonly #clock: () => number;
  readonly #maxQueue: number;
  readonly #onEvent: ((event: LeaseEvent) => void) | undefined;
  readonly #resources: Map<string, ResourceState>;

  constructor({ clock = systemClock, maxQueue = 100, from, onEvent }: MemoryLeaseStoreOptions = {}) {
    this.#clock = clock;
    this.#maxQueue = maxQueue;
    this.#onEvent = onEvent;
    this.#resources = new Map<string, ResourceState>(
      readSnapshot(from).map((state) => [
        state.resource,
        { ...state, queue: [...state.queue], heldMs: [...state.heldMs] },
      ]),
    );
  }

  readonly acquire: LeaseStore["acquire"] = (request) => Promise.resolve(this.#acquire(request));

  readonly renew: LeaseStore["renew"] = ({ ttlMs, ...claim }) => {
    const found = this.#held(claim);
    return Promise.resolve(found === undefined ? undefined : this.#extended(found.state, found.lease, ttlMs));
  };

  readonly release: LeaseStore["release"] = (claim) => Promise.resolve(this.#release(claim));

  readonly withdraw: LeaseStore["withdraw"] = (waiting) => Promise.resolve(this.#withdraw(waiting));

  readonly status: LeaseStore["status"] = (resource) => {
    const { lease, queue } = this.#settled(resource);
    return Promise.resolve({ lease, queue: queue.map(({ holder }) => holder) });
  };

  readonly forceRelease: LeaseStore["forceRelease"] = (resource) => Promise.resolve(this.#forceRelease(resource));

  readonly snapshot = (): LeaseSnapshot => structuredCopy({ version: 1, resources: [...this.#resources.values()] });

  #tell(event: LeaseEvent): void {
    try {
      this.#onEvent?.(event);
    } catch {
      // A listener that throws must not affect the lease.
    }
  }

  /** Current state of a resource: ends expired leases and grants the next in the queue. */
  #settled(resource: string): ResourceState {
    const state = this.#resources.get(resource) ?? { resource, lease: undefined, fence: 0, queue: [], heldMs: [] };
    this.#resources.set(resource, state);
    for (let { lease } = state; lease !== undefined && lease.expiresAt <= this.#clock(); { lease } = state) {
      this.#end(state, lease, {
        type: "expired",
        why: lease.expiresAt >= lease.endsAt ? "max-hold" : "ttl",
        at: lease.expiresAt,
      });
    }
    return state;
  }

  #end(
    state: ResourceState,
    lease: Lease,
    {
      type,
      why,
      at,
    }: { readonly type: "released" | "expired"; readonly why: NonNullable<LeaseEvent["why"]>; readonly at: number },
  ): void {
    const { resource, holder, fence } = lease;
    state.lease = undefined;
    state.heldMs.push(Math.max(0, at - lease.grantedAt));
    if (state.heldMs.length > KEPT_DURATIONS) state.heldMs.shift();
    this.#tell({ type, resource, holder, fence, why });
    const next = state.queue.shift();
    if (next !== undefined) this.#grant(state, next, at);
  }

  #grant(state: ResourceState, { resource, holder, ttlMs, maxHoldMs }: LeaseRequest, at: number): Lease {
    state.fence += 1;
    const endsAt = at + maxHoldMs;
    const lease = {
      resource,
      holder,
      fence: state.fence,
      grantedAt: at,
      expiresAt: Math.min(at + ttlMs, endsAt),
      endsAt,
    };
    state.lease = lease;
    this.#tell({ type: "granted", resource, holder, fence: lease.fence });
    return lease;
  }

  /** Renews the fence of a lease, so that the old fence no longer holds it. */
  #fencedAnew(state: ResourceState, lease: Lease): Lease {
    state.fence += 1;
    this.#tell({ type: "granted", resource: lease.resource, holder: lease.holder, fence: state.fence });
    return { ...lease, fence: state.fence };
  }

  #extended(state: ResourceState, lease: Lease, ttlMs: number): Lease {
    const longer = { ...lease, expiresAt: Math.min(this.#clock() + ttlMs, lease.endsAt) };
    state.lease = longer;
    return longer;
  }

  #acquire(request: LeaseRequest): LeaseAnswer {
    const state = this.#settled(request.resource);
    const { lease, queue } = state;
    if (lease === undefined) return { status: "granted", lease: this.#grant(state, request, this.#clock()) };
    if (lease.holder === request.holder)
      return {
        status: "granted",
        lease: this.#extended(state, request.takeOver === true ? this.#fencedAnew(state, lease) : lease, request.ttlMs),
      };
    let position = queue.findIndex(({ holder }) => holder === request.holder) + 1;
    if (position === 0) {
      if (queue.length >= this.#maxQueue) return { status: "refused", holder: lease.holder, queued: queue.length };
      position = queue.push(request);
      this.#tell({ type: "queued", resource: request.resource, holder: request.holder, position });
    }
    return { status: "queued", position, estimateMs: this.#estimate(state, lease, position), holder: lease.holder };
  }

  /** Expected wait: the rest of the current lease and the leases before this place, at their average duration. */
  #estimate({ heldMs }: ResourceState, { grantedAt, endsAt }: Lease, position: number): number {
    const most = endsAt - grantedAt;
    const usual = heldMs.length === 0 ? most : heldMs.reduce((sum, ms) => sum + ms, 0) / heldMs.length;
    return Math.round(Math.max(0, usual - (this.#clock() - grantedAt)) + (position - 1) * usual);
  }

  #held({ resource, holder, fence }: LeaseClaim): { readonly state: ResourceState; readonly lease: Lease } | undefined {
    const state = this.#settled(resource);
    const { lease } = state;
    return lease?.holder === holder && lease.fence === fence ? { state, lease } : undefined;
  }

  #release(claim: LeaseClaim): boolean {
    const found = this.#held(claim);
    if (found !== undefined)
      this.#end(found.state, found.lease, { type: "released", why: "released", at: this.#clock() });
    return found !== undefined;
  }

  #withdraw({ resource, holder }: { readonly resource: string; readonly holder: string }): boolean {
    const { queue } = this.#settled(resource);
    const at = queue.findIndex((waiting) => waiting.holder === holder);
    if (at !== -1) queue.splice(at, 1);
    return at !== -1;
  }

  #forceRelease(resource: string): boolean {
    const state = this.#settled(resource);
    const { lease } = state;
    if (lease !== undefined) this.#end(state, lease, { type: "released", why: "forced", at: this.#clock() });
    return lease !== undefined;
  }
}

function readSnapshot(from: LeaseSnapshot | undefined): readonly ResourceState[] {
  if (from === undefined) return [];
  const { version, resources } = from as { readonly version?: unknown; readonly resources?: unknown };
  if (version !== 1) throw damagedLeases(`version ${String(version)} is not supported`);
  if (!Array.isArray(resources)) throw damagedLeases("`resources` is not an array");
  return structuredCopy(from).resources;
}

/** Copies a snapshot, so that a change by the caller has no effect. */
function structuredCopy(snapshot: LeaseSnapshot): LeaseSnapshot {
  return JSON.parse(JSON.stringify(snapshot)) as LeaseSnapshot;
}
