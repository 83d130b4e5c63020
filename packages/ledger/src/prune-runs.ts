import { invalidStoreOption } from "./errors.ts";
import type { RunStore } from "./run-store.ts";

export interface PruneOptions {
  readonly now: number;
  /** Runs whose last event is older go. */
  readonly olderThanMs?: number;
  /** The number of newest runs that stay, whatever their age. */
  readonly keep?: number;
  /** Only say what would go. @default false */
  readonly dryRun?: boolean;
}

/** A store whose runs can be removed. */
export interface PrunableStore extends RunStore {
  /** Clears what a removal that was cut off left behind. */
  readonly tidy?: () => Promise<void>;
}

/**
 * Removes old runs by age and by number; with both, a run goes when it is too old and not among the newest. Runs that
 * are being written stay: the store refuses to remove them.
 *
 * @throws INVALID_OPTION without a limit, or for a store that cannot remove
 */
export async function pruneRuns(
  store: PrunableStore,
  { now, olderThanMs, keep, dryRun = false }: PruneOptions,
): Promise<{ readonly removed: readonly string[]; readonly kept: readonly string[] }> {
  if (olderThanMs === undefined && keep === undefined)
    throw invalidStoreOption("olderThanMs", "set a limit by age or by number");
  if (store.remove === undefined) throw invalidStoreOption("store", "this store cannot remove runs");
  if (!dryRun) await store.tidy?.();
  const removed: string[] = [];
  const kept: string[] = [];
  for (const [index, { run, updatedAt }] of (await store.list({ limit: Infinity })).entries()) {
    const old = olderThanMs === undefined || now - updatedAt > olderThanMs;
    if (!old || index < (keep ?? 0)) {
      kept.push(run);
      continue;
    }
    try {
      if (!dryRun) await store.remove(run);
      removed.push(run);
    } catch {
      // A process writes it; the next round may remove it.
      kept.push(run);
    }
  }
  return { removed, kept };
}
