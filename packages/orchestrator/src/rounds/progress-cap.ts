/**
 * Limits of attempts. The first attempt counts: with `withoutProgress: 3`, the third one without progress is the last.
 * Progress resets the first count, never the second.
 */
export interface ProgressCaps {
  /** Maximum attempts in a row without progress. @default 3 for retries, 5 for rounds */
  readonly withoutProgress?: number;
  /** Maximum attempts in all. @default 30 for retries, 200 for rounds */
  readonly absolute?: number;
}

/** Attempts so far, and the best progress. */
export interface Attempts {
  readonly attempts: number;
  readonly stalled: number;
  readonly best: number;
}

/** State before the first attempt; `done` is the progress so far. */
export function noAttempts(done = 0): Attempts {
  return { attempts: 0, stalled: 0, best: done };
}

/** Counts one attempt. `done` is the progress after it, such as the number of settled items. */
export function countAttempt({ attempts, stalled, best }: Attempts, done: number): Attempts {
  return { attempts: attempts + 1, stalled: done > best ? 0 : stalled + 1, best: Math.max(best, done) };
}

/** True if another attempt is allowed. */
export function mayTryAgain(
  { attempts, stalled }: Attempts,
  { withoutProgress, absolute }: Required<ProgressCaps>,
): boolean {
  return stalled < withoutProgress && attempts < absolute;
}
