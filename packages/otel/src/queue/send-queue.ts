import { atExit, waitQuietly } from "./host.ts";

/** How much was sent, and what is in the way. */
export interface SendStatus {
  readonly sent: number;
  readonly waiting: number;
  /** Items that were left out: the queue was full, or the receiver refused them for good. */
  readonly dropped: number;
  /** Attempts that failed since the last one that did not. */
  readonly failures: number;
  /** Why the last attempt failed. */
  readonly problem?: unknown;
}

/** Limits of a queue. All optional. */
export interface SendLimits {
  /** Items that may wait; what comes after is dropped and counted. @default 2000 */
  readonly maxWaiting?: number;
  /** Items of one request. @default 200 */
  readonly maxBatch?: number;
  /** Milliseconds to wait for more items before a request. @default 200 */
  readonly lingerMs?: number;
  /** Milliseconds before the first retry; each later one waits twice as long, up to a minute. @default 1000 */
  readonly retryMs?: number;
  /** Milliseconds that a flush, also the one at the end of the process, may take. @default 2000 */
  readonly flushMs?: number;
  /** Waits, for tests and runtimes with other timers. @default setTimeout, which does not keep the process alive */
  readonly wait?: (ms: number) => Promise<void>;
}

/** Thrown by a sender for items that no retry can help. */
export class RefusedForGood extends Error {
  override readonly name = "RefusedForGood";
}

const MAX_RETRY_MS = 60_000;

/** Makes and delivers the requests of a queue. */
export interface Delivery<T, TBatch> {
  /** Makes the request of a batch, once for all its attempts. */
  readonly prepare: (items: readonly T[]) => TBatch;
  /** Delivers it; rejects if it must be tried again. */
  readonly send: (batch: TBatch) => Promise<void>;
}

/**
 * A bounded queue that sends items in order, in the background. A batch is made once and tried until it arrives, so a
 * receiver can recognize it by its id. It holds at most `maxWaiting` items, whatever the receiver does.
 */
export class SendQueue<T, TBatch> {
  readonly #delivery: Delivery<T, TBatch>;
  readonly #limits: Required<SendLimits>;
  readonly #forgetExit: () => void;
  readonly #waiting: T[] = [];
  #sent = 0;
  #dropped = 0;
  #failures = 0;
  #problem: unknown;
  #isClosed = false;
  #pumping: Promise<void> | undefined;
  /** Ends the pause of the pump. */
  #wake: (() => void) | undefined;
  /** The first items of those that wait, in the request that is under way. */
  #underway: { readonly count: number; readonly batch: TBatch } | undefined;

  constructor(delivery: Delivery<T, TBatch>, limits: SendLimits = {}) {
    this.#delivery = delivery;
    this.#limits = {
      maxWaiting: limits.maxWaiting ?? 2000,
      maxBatch: limits.maxBatch ?? 200,
      lingerMs: limits.lingerMs ?? 200,
      retryMs: limits.retryMs ?? 1000,
      flushMs: limits.flushMs ?? 2000,
      wait: limits.wait ?? waitQuietly,
    };
    this.#forgetExit = atExit(() => {
      if (this.#waiting.length > 0) void this.flush();
    });
  }

  /** Takes items; never waits and never throws. */
  push(items: readonly T[]): void {
    const room = this.#isClosed ? 0 : Math.max(0, this.#limits.maxWaiting - this.#waiting.length);
    for (let index = 0; index < items.length && index < room; index += 1) this.#waiting.push(items[index] as T);
    this.#dropped += Math.max(0, items.length - room);
    if (this.#waiting.length > 0) this.#pumping ??= this.#pump();
  }

  status(): SendStatus {
    return {
      sent: this.#sent,
      waiting: this.#waiting.length,
      dropped: this.#dropped,
      failures: this.#failures,
      ...(this.#problem !== undefined && { problem: this.#problem }),
    };
  }

  /** Tries to send everything that waits, for a limited time. */
  async flush(): Promise<SendStatus> {
    this.#wake?.();
    if (this.#pumping !== undefined) await Promise.race([this.#pumping, this.#limits.wait(this.#limits.flushMs)]);
    return this.status();
  }

  /** Flushes, then takes nothing any more. */
  async close(): Promise<SendStatus> {
    const last = await this.flush();
    this.#isClosed = true;
    this.#forgetExit();
    return last;
  }

  async #pump(): Promise<void> {
    const { lingerMs, retryMs } = this.#limits;
    await this.#pause(lingerMs);
    while (this.#waiting.length > 0) {
      const arrived = await this.#attempt();
      if (!arrived) await this.#pause(Math.min(retryMs * 2 ** (this.#failures - 1), MAX_RETRY_MS));
    }
    this.#pumping = undefined;
  }

  #pause(ms: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    return Promise.race([this.#limits.wait(ms), woken]);
  }

  /** Sends the first batch once; false if it must be tried again. */
  async #attempt(): Promise<boolean> {
    const { prepare, send } = this.#delivery;
    try {
      if (this.#underway === undefined) {
        const items = this.#waiting.slice(0, this.#limits.maxBatch);
        this.#underway = { count: items.length, batch: prepare(items) };
      }
      await send(this.#underway.batch);
      this.#finish("sent");
      return true;
    } catch (error) {
      this.#problem = error;
      // A batch that cannot even be made never will be.
      if (error instanceof RefusedForGood || this.#underway === undefined) this.#finish("dropped");
      else this.#failures += 1;
      return this.#failures === 0;
    }
  }

  #finish(how: "sent" | "dropped"): void {
    const count = this.#underway?.count ?? Math.min(this.#limits.maxBatch, this.#waiting.length);
    this.#waiting.splice(0, count);
    this.#underway = undefined;
    this.#failures = 0;
    if (how === "sent") {
      this.#sent += count;
      this.#problem = undefined;
    } else this.#dropped += count;
  }
}
