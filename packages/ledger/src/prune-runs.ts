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
  /** Called before each run that is looked at. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Ends it after the current run. What was removed by then stays removed. */
  readonly signal?: { readonly aborted: boolean };
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
  { now, olderThanMs, keep, dryRun = false, onProgress, signal }: PruneOptions,
): Promise<{ readonly removed: readonly string[]; readonly kept: readonly string[] }> {
  if (olderThanMs === undefined && keep === undefined)
    throw invalidStoreOption("olderThanMs", "set a limit by age or by number");
  if (store.remove === undefined) throw invalidStoreOption("store", "this store cannot remove runs");
  if (!dryRun) await store.tidy?.();
  const removed: string[] = [];
  const kept: string[] = [];
  // A run that began later cannot be too old.
  const before = keep === undefined && olderThanMs !== undefined ? { before: now - olderThanMs } : {};
  const runs = await store.list({ limit: Infinity, ...before });
  for (const [index, { run, updatedAt }] of runs.entries()) {
    if (signal?.aborted === true) break;
    onProgress?.(index, runs.length);
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
