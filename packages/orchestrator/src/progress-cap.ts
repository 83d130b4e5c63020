/** How often something may be tried again. Progress starts the first count anew, never the second. */
export interface ProgressCaps {
  /** Tries without progress in between. @default 3 */
  readonly withoutProgress?: number;
  /** Tries in all, with or without progress. @default 30 */
  readonly absolute?: number;
}

/** What was tried so far, and the most that was ever done. */
export interface Attempts {
  readonly attempts: number;
  readonly stalled: number;
  readonly best: number;
}

/** Before the first try; `done` is what is done already. */
export function noAttempts(done = 0): Attempts {
  return { attempts: 0, stalled: 0, best: done };
}

/** Counts one try. `done` is how much is done after it: finished and skipped items, for instance. */
export function countAttempt({ attempts, stalled, best }: Attempts, done: number): Attempts {
  return { attempts: attempts + 1, stalled: done > best ? 0 : stalled + 1, best: Math.max(best, done) };
}

/** Whether one more try is worth it: a try that brings progress is, until the absolute cap. */
export function mayTryAgain({ attempts, stalled }: Attempts, { withoutProgress = 3, absolute = 30 }: ProgressCaps = {}): boolean {
  return stalled < withoutProgress && attempts < absolute;
}
