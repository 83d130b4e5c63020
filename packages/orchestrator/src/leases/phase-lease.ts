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

interface KeeperOptions {
  readonly schedule: Schedule;
  readonly clock: () => number;
  readonly onLost: () => void;
}

/** Renews a lease and calls `onLost` if it is lost. */
export function createLeaseKeeper(run: RunPort, lease: ExclusivePhases, options: KeeperOptions): LeaseKeeper {
  return new Keeper(run, lease, options);
}

class Keeper implements LeaseKeeper {
  readonly #run: RunPort;
  readonly #schedule: Schedule;
  readonly #clock: () => number;
  readonly #onLost: () => void;
  readonly #phases: readonly string[];
  readonly #store: LeaseStore;
  readonly #resource: string;
  readonly #ttlMs: number;
  readonly #maxHoldMs: number;
  readonly #warnMs: number;
  readonly #patienceMs: number;
  readonly #pollMs: number;
  readonly #holder: string;
  #lease: Lease | undefined;
  #queued: QueuePlace | undefined;
  #heldFor = "";
  #seenAt = 0;
  #warned = false;
  #cancelBeat = (): void => undefined;

  constructor(run: RunPort, options: ExclusivePhases, { schedule, clock, onLost }: KeeperOptions) {
    this.#run = run;
    this.#schedule = schedule;
    this.#clock = clock;
    this.#onLost = onLost;
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
    this.#phases = phases;
    this.#store = store;
    this.#resource = resource;
    this.#ttlMs = ttlMs;
    this.#maxHoldMs = maxHoldMs;
    this.#warnMs = warnMs;
    this.#patienceMs = patienceMs;
    this.#pollMs = pollMs;
    this.#holder = run.id;
  }

  get lease() {
    return this.#lease;
  }

  get queued() {
    return this.#queued;
  }

  readonly isExclusive: LeaseKeeper["isExclusive"] = (phase) => this.#phases.includes(phase);

  readonly hold = async (phase: string): Promise<QueuePlace | undefined> => {
    this.#heldFor = phase;
    const before = this.#queued;
    const until = this.#clock() + this.#patienceMs;
    let answer = await this.#ask();
    if (answer !== undefined && before === undefined) this.#note(phase, answer);
    while (
      answer !== undefined &&
      this.#clock() < until &&
      this.#run.view.status === "running" &&
      this.#run.view.stopped === undefined
    ) {
      await new Promise<void>((wake) => this.#schedule(Math.min(this.#pollMs, until - this.#clock()), wake));
      answer = await this.#ask();
    }
    this.#queued = answer;
    return answer;
  };

  readonly letGo = async (phase: string, why: string): Promise<void> => {
    this.#cancelBeat();
    const held = this.#lease;
    this.#lease = undefined;
    try {
      if (held !== undefined) {
        this.#run.record(
          leaseChanged.record({ phase, resource: this.#resource, status: "released", fence: held.fence, why }),
        );
        await this.#store.release(held);
      } else if (this.#queued !== undefined) {
        this.#queued = undefined;
        await this.#store.withdraw({ resource: this.#resource, holder: this.#holder });
      }
    } catch {
      // The store is unreachable. The lease will expire.
    }
  };

  async #ask(): Promise<QueuePlace | undefined> {
    // The previous process may still be running and believe it holds the lease.
    const takeOver = this.#run.view.attempt > 1 && this.#lease === undefined;
    const answer = await this.#store.acquire({
      resource: this.#resource,
      holder: this.#holder,
      ttlMs: this.#ttlMs,
      maxHoldMs: this.#maxHoldMs,
      ...(takeOver && { takeOver }),
    });
    if (answer.status !== "granted") return answer;
    this.#seenAt = this.#clock();
    if (this.#lease?.fence !== answer.lease.fence) {
      this.#warned = false;
      this.#run.record(
        leaseChanged.record({
          phase: this.#heldFor,
          resource: this.#resource,
          status: "granted",
          fence: answer.lease.fence,
        }),
      );
    }
    this.#lease = answer.lease;
    this.#queued = undefined;
    this.#cancelBeat();
    this.#beat();
    return undefined;
  }

  #note(phase: string, answer: QueuePlace): void {
    const place =
      answer.status === "queued"
        ? { position: answer.position, estimateMs: answer.estimateMs }
        : { why: "the queue is full" };
    this.#run.record(
      leaseChanged.record({ phase, resource: this.#resource, status: "queued", holder: answer.holder, ...place }),
    );
  }

  #beat(): void {
    this.#cancelBeat = this.#schedule(Math.max(1, Math.floor(this.#ttlMs / 3)), () => void this.#renew());
  }

  async #renew(): Promise<void> {
    const held = this.#lease;
    if (held === undefined) return;
    let answer: Lease | undefined | "unknown";
    try {
      answer = await this.#store.renew({ ...held, ttlMs: this.#ttlMs });
    } catch {
      // The store is unreachable. Before the lease has expired, no other holder can have it.
      answer = this.#clock() - this.#seenAt < this.#ttlMs ? "unknown" : undefined;
    }
    if (this.#lease?.fence !== held.fence) return;
    if (answer === undefined) {
      this.#lose(held);
      return;
    }
    if (answer !== "unknown") {
      this.#lease = answer;
      this.#seenAt = this.#clock();
      if (!this.#warned && answer.endsAt - answer.expiresAt <= this.#warnMs - this.#ttlMs) this.#warn(answer);
    }
    this.#beat();
  }

  #warn({ fence, endsAt, expiresAt }: Lease): void {
    this.#warned = true;
    this.#run.record(
      leaseChanged.record({
        phase: this.#heldFor,
        resource: this.#resource,
        status: "expiring",
        fence,
        estimateMs: endsAt - expiresAt + this.#ttlMs,
      }),
    );
  }

  #lose({ fence }: Lease): void {
    this.#lease = undefined;
    this.#run.record(
      leaseChanged.record({
        phase: this.#heldFor,
        resource: this.#resource,
        status: "lost",
        fence,
        why: "it expired or was taken away",
      }),
    );
    this.#onLost();
  }
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
