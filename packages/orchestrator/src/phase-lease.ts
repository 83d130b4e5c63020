import type { RunPort } from "@phasekit/core";
import { leaseChanged } from "./conversation-facts.ts";
import type { Lease, LeaseAnswer, LeaseStore } from "./lease-store.ts";
import type { Schedule } from "./system.ts";

/** Phases that one conversation at a time may be in. */
export interface ExclusivePhases<TPhase extends string = string> {
  /** They share one lease: going from one to another keeps it. */
  readonly phases: readonly TPhase[];
  readonly store: LeaseStore;
  /** What is held. @default "phase" */
  readonly resource?: string;
  /** How long a lease lasts without a sign of life; signs are given three times as often. @default 30000 */
  readonly ttlMs?: number;
  /** How long a conversation may stay, however alive. @default 1800000 */
  readonly maxHoldMs?: number;
  /** When the log and the router are warned that the stay ends. @default 300000 before it does */
  readonly warnMs?: number;
  /** How long to wait in the queue before the conversation is put aside. @default 0 */
  readonly patienceMs?: number;
  /** How often to ask while waiting. @default 1000 */
  readonly pollMs?: number;
}

/** A place in the queue, in the words of the store. */
export type Queued = Exclude<LeaseAnswer, { readonly status: "granted" }>;

/** Holds the lease of a conversation while it is in an exclusive phase. */
export interface LeaseKeeper {
  readonly lease: Lease | undefined;
  /** The place in the queue, while there is one. */
  readonly queued: Queued | undefined;
  readonly isExclusive: (phase: string) => boolean;
  /** Makes sure the lease is held; the answer is `undefined` when it is. */
  readonly hold: (phase: string) => Promise<Queued | undefined>;
  /** Gives the lease back, or leaves the queue. */
  readonly letGo: (phase: string, why: string) => Promise<void>;
}

/** Keeps a lease alive by signs of life, and says when it is lost. */
export function createLeaseKeeper(
  run: RunPort,
  options: ExclusivePhases,
  { schedule, clock, onLost }: { readonly schedule: Schedule; readonly clock: () => number; readonly onLost: () => void },
): LeaseKeeper {
  const { phases, store, resource = "phase", ttlMs = 30_000, maxHoldMs = 1_800_000, warnMs = 300_000, patienceMs = 0, pollMs = 1000 } = options;
  const holder = run.id;
  let lease: Lease | undefined;
  let queued: Queued | undefined;
  let heldFor = "";
  let seenAt = 0;
  let warned = false;
  let cancelBeat = (): void => undefined;

  async function ask(): Promise<Queued | undefined> {
    // The process that held it before may not know that it is dead.
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

  async function hold(phase: string): Promise<Queued | undefined> {
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

  function note(phase: string, answer: Queued): void {
    const place = answer.status === "queued" ? { position: answer.position, estimateMs: answer.estimateMs } : { why: "the queue is full" };
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
      // The store cannot be reached. Until the lease must have run out, nobody else can have it.
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
    run.record(leaseChanged.record({ phase: heldFor, resource, status: "expiring", fence, estimateMs: endsAt - expiresAt + ttlMs }));
  }

  function lose({ fence }: Lease): void {
    lease = undefined;
    run.record(leaseChanged.record({ phase: heldFor, resource, status: "lost", fence, why: "it expired or was taken away" }));
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
      // A store that cannot be reached lets the lease expire by itself.
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

/** A place in the queue, for the router and for people. */
export function renderQueued(phase: string, answer: Queued): string {
  if (answer.status === "refused") return `The phase "${phase}" is held by conversation "${answer.holder}", and ${answer.queued} others wait already. Choose other work.`;
  const minutes = Math.max(1, Math.round(answer.estimateMs / 60_000));
  return `The phase "${phase}" is held by conversation "${answer.holder}". This conversation is number ${answer.position} in the queue, which may take about ${minutes} min.`;
}
