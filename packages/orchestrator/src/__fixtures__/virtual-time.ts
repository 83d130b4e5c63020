import type { Schedule } from "../conversation/runtime-defaults.ts";

/** A clock and a timer that only a test moves. */
export interface VirtualTime {
  readonly clock: () => number;
  readonly schedule: Schedule;
  /** Lets time pass: timers fire in order, and everything they cause settles in between. */
  readonly advance: (ms: number) => Promise<void>;
  /** Lets everything settle that needs no time. */
  readonly settle: () => Promise<void>;
  /** Timers that wait. */
  readonly waiting: () => number;
}

export function virtualTime(start = 1000): VirtualTime {
  let now = start;
  let order = 0;
  const timers = new Map<number, { readonly at: number; readonly wake: () => void }>();
  // Nothing here waits for the outside, so everything has settled when the microtasks are done.
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const nextTimer = (until: number): [number, { readonly at: number; readonly wake: () => void }] | undefined =>
    [...timers].filter(([, { at }]) => at <= until).sort(([a, one], [b, other]) => one.at - other.at || a - b)[0];
  return {
    clock: () => now,
    schedule: (ms, wake) => {
      const id = (order += 1);
      timers.set(id, { at: now + Math.max(0, ms), wake });
      return () => timers.delete(id);
    },
    advance: async (ms) => {
      const until = now + ms;
      await settle();
      for (let timer = nextTimer(until); timer !== undefined; timer = nextTimer(until)) {
        timers.delete(timer[0]);
        now = Math.max(now, timer[1].at);
        timer[1].wake();
        await settle();
      }
      now = until;
      await settle();
    },
    settle,
    waiting: () => timers.size,
  };
}
