/** When an append is acknowledged: when it is queued, when the kernel has it, or when it is on the disk. */
export type Level = "memory" | "kernel" | "disk";

/** Those who wait for their events to reach a level. */
export interface Waiters {
  readonly wait: (seq: number, level: Level) => Promise<void>;
  /** Answers everybody whose level is reached. */
  readonly settle: (reached: { readonly written: number; readonly durable: number }) => void;
  /** Tells everybody from an event on that it cannot be done; returns whether somebody waited for a given event. */
  readonly fail: (error: Error, options?: { readonly from?: number }) => (seq: number) => boolean;
  /** Whether anybody waits, and whether anybody waits for the disk to have what is written. */
  readonly any: () => boolean;
  readonly anyForDisk: (written: number) => boolean;
}

interface Waiter {
  readonly seq: number;
  readonly level: Level;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

export function createWaiters(): Waiters {
  let waiters: Waiter[] = [];
  return {
    wait: (seq, level) => new Promise((done, failed) => waiters.push({ seq, level, done, failed })),
    settle: ({ written, durable }) => {
      if (waiters.length === 0) return;
      const all = waiters;
      waiters = [];
      // A promise that is resolved runs nothing yet: who goes on from it comes later.
      for (const waiter of all) {
        if (waiter.seq <= (waiter.level === "disk" ? durable : written)) waiter.done();
        else waiters.push(waiter);
      }
    },
    fail: (error, { from = 0 } = {}) => {
      const failed = waiters.filter(({ seq }) => seq >= from);
      waiters = waiters.filter(({ seq }) => seq < from);
      for (const waiter of failed) waiter.failed(error);
      return (seq) => failed.some((waiter) => waiter.seq === seq);
    },
    any: () => waiters.length > 0,
    anyForDisk: (written) => waiters.some(({ level, seq }) => level === "disk" && seq <= written),
  };
}
