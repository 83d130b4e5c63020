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
  /** Waits, for tests and for runtimes with timers of their own. @default setTimeout, without keeping the process alive */
  readonly wait?: (ms: number) => Promise<void>;
}

/** Sends items in order, in the background. */
export interface SendQueue<T> {
  /** Takes items; never waits and never throws. */
  readonly push: (items: readonly T[]) => void;
  readonly status: () => SendStatus;
  /** Tries to send everything that waits, for a limited time. */
  readonly flush: () => Promise<SendStatus>;
  /** Flushes, then takes nothing any more. */
  readonly close: () => Promise<SendStatus>;
}

/** Thrown by a sender for items that no retry can help. */
export class RefusedForGood extends Error {
  override readonly name = "RefusedForGood";
}

const MAX_RETRY_MS = 60_000;

/**
 * Creates a bounded queue. A batch is made once and tried until it arrives, so a receiver can tell it by its id. The
 * queue holds at most `maxWaiting` items, whatever the receiver does.
 */
export function createSendQueue<T, TBatch>(
  {
    prepare,
    send,
  }: {
    /** Makes the request of a batch, once for all its attempts. */
    readonly prepare: (items: readonly T[]) => TBatch;
    /** Delivers it; rejects if it must be tried again. */
    readonly send: (batch: TBatch) => Promise<void>;
  },
  {
    maxWaiting = 2000,
    maxBatch = 200,
    lingerMs = 200,
    retryMs = 1000,
    flushMs = 2000,
    wait = waitQuietly,
  }: SendLimits = {},
): SendQueue<T> {
  const waiting: T[] = [];
  let sent = 0;
  let dropped = 0;
  let failures = 0;
  let problem: unknown;
  let isClosed = false;
  let pumping: Promise<void> | undefined;
  /** Ends the pause of the pump. */
  let wake: (() => void) | undefined;
  /** The first items of `waiting`, in the request that is under way. */
  let underway: { readonly count: number; readonly batch: TBatch } | undefined;

  const pause = (ms: number): Promise<void> =>
    Promise.race([
      wait(ms),
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
    ]);

  function push(items: readonly T[]): void {
    const room = isClosed ? 0 : Math.max(0, maxWaiting - waiting.length);
    for (let index = 0; index < items.length && index < room; index += 1) waiting.push(items[index] as T);
    dropped += Math.max(0, items.length - room);
    if (waiting.length > 0) pumping ??= pump();
  }

  async function pump(): Promise<void> {
    await pause(lingerMs);
    while (waiting.length > 0)
      if (!(await attempt())) await pause(Math.min(retryMs * 2 ** (failures - 1), MAX_RETRY_MS));
    pumping = undefined;
  }

  /** Sends the first batch once; false if it must be tried again. */
  async function attempt(): Promise<boolean> {
    try {
      if (underway === undefined) {
        const items = waiting.slice(0, maxBatch);
        underway = { count: items.length, batch: prepare(items) };
      }
      await send(underway.batch);
      finish("sent");
      return true;
    } catch (error) {
      problem = error;
      if (error instanceof RefusedForGood || underway === undefined) finish("dropped");
      else failures += 1;
      return failures === 0;
    }
  }

  function finish(how: "sent" | "dropped"): void {
    const count = underway?.count ?? Math.min(maxBatch, waiting.length);
    waiting.splice(0, count);
    underway = undefined;
    failures = 0;
    if (how === "sent") {
      sent += count;
      problem = undefined;
    } else dropped += count;
  }

  const status = (): SendStatus => ({
    sent,
    waiting: waiting.length,
    dropped,
    failures,
    ...(problem !== undefined && { problem }),
  });

  async function flush(): Promise<SendStatus> {
    wake?.();
    if (pumping !== undefined) await Promise.race([pumping, wait(flushMs)]);
    return status();
  }

  const forget = atExit(() => {
    if (waiting.length > 0) void flush();
  });

  return {
    push,
    status,
    flush,
    close: async () => {
      const last = await flush();
      isClosed = true;
      forget();
      return last;
    },
  };
}
