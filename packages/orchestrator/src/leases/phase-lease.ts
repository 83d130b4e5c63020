import type { RunPort } from "@phasekit/core";
import { leaseChanged } from "../conversation/conversation-events.ts";
import type { Lease, LeaseAnswer, LeaseStore } from "./lease-store.ts";
import type { Schedule } from "../conversation/runtime-defaults.ts";

/** Phases that only one conversation at a time may be in. */
export interface ExclusivePhases<TPhase extends string = string> {
  /** These phases share one lease. A move between them keeps it. */
  readonly phases: readonly TPhase[];
  readonly store: LeaseStore;
  /** Name of the leased resource. @default "phase" */
  readonly resource?: string;
  /** Lifetime of the lease without renewal. It is renewed every third of it. @default 30000 */
  readonly ttlMs?: number;
  /** Maximum time a conversation may hold the lease. @default 1800000 */
  readonly maxHoldMs?: number;
  /** Time before that limit at which the log records a warning. @default 300000 */
  readonly warnMs?: number;
  /** Time to wait in the queue before the conversation pauses. @default 0 */
  readonly patienceMs?: number;
  /** Polling interval while waiting. @default 1000 */
  readonly pollMs?: number;
}

/** Place in the queue, or a refusal because the queue is full. */
export type QueuePlace = Exclude<LeaseAnswer, { readonly status: "granted" }>;

/** The lease of a conversation while it is in an exclusive phase. */
export interface LeaseKeeper {
  readonly lease: Lease | undefined;
  /** Place in the queue, while waiting. */
  readonly queued: QueuePlace | undefined;
  readonly isExclusive: (phase: string) => boolean;
  /** Acquires the lease. Returns undefined if it is held. */
  readonly hold: (phase: string) => Promise<QueuePlace | undefined>;
  /** Releases the lease, or leaves the queue. */
  readonly letGo: (phase: string, why: string) => Promise<void>;
}

/** Renews a lease and calls `onLost` if it is lost. */
export function createLeaseKeeper(
  run: RunPort,
  options: ExclusivePhases,
  {
    schedule,
    clock,
    onLost,
  }: { readonly schedule: Schedule; readonly clock: () => number; readonly onLost: () => void },
): LeaseKeeper {
  const {
    phases,
    store,
    resource = "phase",
    ttlMs = 30_000,
    maxHoldMs = 1_800_000,
    warnMs = 300_000,
    patienceMs = 0,
    pollMs = 1000,
  } = options;
  const holder = run.id;
  let lease: Lease | undefined;
  let queued: QueuePlace | undefined;
  let heldFor = "";
  let seenAt = 0;
  let warned = false;
  let cancelBeat = (): void => undefined;

  async function ask(): Promise<QueuePlace | undefined> {
    // The previous process may still be running and believe it holds the lease.
    const takeOver = run.view.attempt > 1 && lease === undefined;
    const answer = await store.acquire({ resource, holder, ttlMs, maxHoldMs, ...(takeOver && { takeOver }) });
    if (answer.status !== "granted") return answer;
    seenAt = clock();
    if (lease?.fence !== answer.lease.fence) {
      warned = false;
      run.record(leaseChanged.record({ phase: heldFor, resource, status: "granted", fence: answer.lease.fence }));
    }
    lease = answer.lease;
    queued = undefined;
    cancelBeat();
    beat();
    return undefined;
  }

  async function hold(phase: string): Promise<QueuePlace | undefined> {
    heldFor = phase;
    const before = queued;
    const until = clock() + patienceMs;
    let answer = await ask();
    if (answer !== undefined && before === undefined) note(phase, answer);
    while (answer !== undefined && clock() < until && run.view.status === "running" && run.view.stopped === undefined) {
      await new Promise<void>((wake) => schedule(Math.min(pollMs, until - clock()), wake));
      answer = await ask();
    }
    queued = answer;
    return answer;
  }

  function note(phase: string, answer: QueuePlace): void {
    const place =
      answer.status === "queued"
        ? { position: answer.position, estimateMs: answer.estimateMs }
        : { why: "the queue is full" };
    run.record(leaseChanged.record({ phase, resource, status: "queued", holder: answer.holder, ...place }));
  }

  function beat(): void {
    cancelBeat = schedule(Math.max(1, Math.floor(ttlMs / 3)), () => void renew());
  }

  async function renew(): Promise<void> {
    const held = lease;
    if (held === undefined) return;
    let answer: Lease | undefined | "unknown";
    try {
      answer = await store.renew({ ...held, ttlMs });
    } catch {
      // The store is unreachable. Before the lease has expired, no other holder can have it.
      answer = clock() - seenAt < ttlMs ? "unknown" : undefined;
    }
    if (lease?.fence !== held.fence) return;
    if (answer === undefined) {
      lose(held);
      return;
    }
    if (answer !== "unknown") {
      lease = answer;
      seenAt = clock();
      if (!warned && answer.endsAt - answer.expiresAt <= warnMs - ttlMs) warn(answer);
    }
    beat();
  }

  function warn({ fence, endsAt, expiresAt }: Lease): void {
    warned = true;
    run.record(
      leaseChanged.record({
        phase: heldFor,
        resource,
        status: "expiring",
        fence,
        estimateMs: endsAt - expiresAt + ttlMs,
      }),
    );
  }

  function lose({ fence }: Lease): void {
    lease = undefined;
    run.record(
      leaseChanged.record({ phase: heldFor, resource, status: "lost", fence, why: "it expired or was taken away" }),
    );
    onLost();
  }

  async function letGo(phase: string, why: string): Promise<void> {
    cancelBeat();
    const held = lease;
    lease = undefined;
    try {
      if (held !== undefined) {
        run.record(leaseChanged.record({ phase, resource, status: "released", fence: held.fence, why }));
        await store.release(held);
      } else if (queued !== undefined) {
        queued = undefined;
        await store.withdraw({ resource, holder });
      }
    } catch {
      // The store is unreachable. The lease will expire.
    }
  }

  return {
    get lease() {
      return lease;
    },
    get queued() {
      return queued;
    },
    isExclusive: (phase) => phases.includes(phase),
    hold,
    letGo,
  };
}

/** Renders a place in the queue, for the router and for people. */
export function renderQueuePlace(phase: string, answer: QueuePlace): string {
  if (answer.status === "refused")
    return (
      `The phase "${phase}" is held by conversation "${answer.holder}", and ${answer.queued} others are waiting. ` +
      "Choose other work."
    );
  const minutes = Math.max(1, Math.round(answer.estimateMs / 60_000));
  return (
    `The phase "${phase}" is held by conversation "${answer.holder}". ` +
    `This conversation is number ${answer.position} in the queue; the wait is about ${minutes} min.`
  );
}
