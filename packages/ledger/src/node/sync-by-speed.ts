/** Two ways to bring a file to the disk, and a clock to tell how long they take. */
export interface SyncBySpeedOptions {
  /** Returns when the bytes are on the disk; nothing else happens meanwhile. */
  readonly direct: (file: number) => void;
  /** Syncs on another thread. */
  readonly inBackground: (file: number) => Promise<void>;
  /** Milliseconds that only go forward. */
  readonly now: () => number;
}

/** Longer than this is slow, in milliseconds. */
const SLOW_MS = 2;
/** Slow syncs in a row before syncing moves to the background; the next fast one ends that. */
const PATIENCE = 3;

/**
 * Brings files to the disk in the way that suits it. The hop to another thread and back costs as much as a sync on a
 * fast disk, so that such a one is asked directly; a slow one must not hold up the agent.
 */
export function syncBySpeed({ direct, inBackground, now }: SyncBySpeedOptions): (file: number) => Promise<void> {
  let slowInARow = 0;
  return async (file) => {
    const start = now();
    try {
      if (slowInARow < PATIENCE) direct(file);
      else await inBackground(file);
    } finally {
      slowInARow = now() - start > SLOW_MS ? Math.min(slowInARow + 1, PATIENCE) : 0;
    }
  };
}
