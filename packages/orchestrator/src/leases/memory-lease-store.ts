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
export function createMemoryLeaseStore({
  clock = systemClock,
  maxQueue = 100,
  from,
  onEvent,
}: MemoryLeaseStoreOptions = {}): LeaseStore & { readonly snapshot: () => LeaseSnapshot } {
  const resources = new Map<string, ResourceState>(
    readSnapshot(from).map((state) => [
      state.resource,
      { ...state, queue: [...state.queue], heldMs: [...state.heldMs] },
    ]),
  );

  function tell(event: LeaseEvent): void {
    try {
      onEvent?.(event);
    } catch {
      // A listener that throws must not affect the lease.
    }
  }

  /** Current state of a resource: ends expired leases and grants the next in the queue. */
  function settled(resource: string): ResourceState {
    const state = resources.get(resource) ?? { resource, lease: undefined, fence: 0, queue: [], heldMs: [] };
    resources.set(resource, state);
    for (let { lease } = state; lease !== undefined && lease.expiresAt <= clock(); { lease } = state) {
      end(state, lease, {
        type: "expired",
        why: lease.expiresAt >= lease.endsAt ? "max-hold" : "ttl",
        at: lease.expiresAt,
      });
    }
    return state;
  }

  function end(
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
    tell({ type, resource, holder, fence, why });
    const next = state.queue.shift();
    if (next !== undefined) grant(state, next, at);
  }

  function grant(state: ResourceState, { resource, holder, ttlMs, maxHoldMs }: LeaseRequest, at: number): Lease {
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
    tell({ type: "granted", resource, holder, fence: lease.fence });
    return lease;
  }

  /** Renews the fence of a lease, so that the old fence no longer holds it. */
  function fencedAnew(state: ResourceState, lease: Lease): Lease {
    state.fence += 1;
    tell({ type: "granted", resource: lease.resource, holder: lease.holder, fence: state.fence });
    return { ...lease, fence: state.fence };
  }

  function extended(state: ResourceState, lease: Lease, ttlMs: number): Lease {
    const longer = { ...lease, expiresAt: Math.min(clock() + ttlMs, lease.endsAt) };
    state.lease = longer;
    return longer;
  }

  function acquire(request: LeaseRequest): LeaseAnswer {
    const state = settled(request.resource);
    const { lease, queue } = state;
    if (lease === undefined) return { status: "granted", lease: grant(state, request, clock()) };
    if (lease.holder === request.holder)
      return {
        status: "granted",
        lease: extended(state, request.takeOver === true ? fencedAnew(state, lease) : lease, request.ttlMs),
      };
    let position = queue.findIndex(({ holder }) => holder === request.holder) + 1;
    if (position === 0) {
      if (queue.length >= maxQueue) return { status: "refused", holder: lease.holder, queued: queue.length };
      position = queue.push(request);
      tell({ type: "queued", resource: request.resource, holder: request.holder, position });
    }
    return { status: "queued", position, estimateMs: estimate(state, lease, position), holder: lease.holder };
  }

  /** Expected wait: the rest of the current lease and the leases before this place, at their average duration. */
  function estimate({ heldMs }: ResourceState, { grantedAt, endsAt }: Lease, position: number): number {
    const most = endsAt - grantedAt;
    const usual = heldMs.length === 0 ? most : heldMs.reduce((sum, ms) => sum + ms, 0) / heldMs.length;
    return Math.round(Math.max(0, usual - (clock() - grantedAt)) + (position - 1) * usual);
  }

  function held({
    resource,
    holder,
    fence,
  }: LeaseClaim): { readonly state: ResourceState; readonly lease: Lease } | undefined {
    const state = settled(resource);
    const { lease } = state;
    return lease?.holder === holder && lease.fence === fence ? { state, lease } : undefined;
  }

  function release(claim: LeaseClaim): boolean {
    const found = held(claim);
    if (found !== undefined) end(found.state, found.lease, { type: "released", why: "released", at: clock() });
    return found !== undefined;
  }

  function withdraw({ resource, holder }: { readonly resource: string; readonly holder: string }): boolean {
    const { queue } = settled(resource);
    const at = queue.findIndex((waiting) => waiting.holder === holder);
    if (at !== -1) queue.splice(at, 1);
    return at !== -1;
  }

  function forceRelease(resource: string): boolean {
    const state = settled(resource);
    const { lease } = state;
    if (lease !== undefined) end(state, lease, { type: "released", why: "forced", at: clock() });
    return lease !== undefined;
  }

  return {
    acquire: (request) => Promise.resolve(acquire(request)),
    renew: ({ ttlMs, ...claim }) => {
      const found = held(claim);
      return Promise.resolve(found === undefined ? undefined : extended(found.state, found.lease, ttlMs));
    },
    release: (claim) => Promise.resolve(release(claim)),
    withdraw: (waiting) => Promise.resolve(withdraw(waiting)),
    status: (resource) => {
      const { lease, queue } = settled(resource);
      return Promise.resolve({ lease, queue: queue.map(({ holder }) => holder) });
    },
    forceRelease: (resource) => Promise.resolve(forceRelease(resource)),
    snapshot: () => structuredCopy({ version: 1, resources: [...resources.values()] }),
  };
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
