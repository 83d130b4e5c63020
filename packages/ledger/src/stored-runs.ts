import type { RunPort } from "@phasekit/core";
import type { StoredRun } from "./store-run.ts";
import type { RunStore } from "./run-store.ts";

const storedByStore = new WeakMap<RunStore, Set<StoredRun>>();
const storedByRun = new WeakMap<RunPort, StoredRun>();

/** Remembers how a run is stored. `open` and `done` say whether it has events that the store may lack. */
export function rememberStoredRun(
  run: RunPort,
  store: RunStore,
  stored: StoredRun,
): { readonly open: () => void; readonly done: () => void } {
  const runs = storedByStore.get(store) ?? new Set();
  storedByStore.set(store, runs);
  storedByRun.set(run, stored);
  return { open: () => void runs.add(stored), done: () => void runs.delete(stored) };
}

/**
 * Waits until the store has every event that runs have recorded so far. A store calls it first in its own `close`, so
 * that the end of a run is not lost.
 */
export async function flushStoredRuns(store: RunStore): Promise<void> {
  await Promise.all([...(storedByStore.get(store) ?? [])].map((stored) => stored.flush()));
}

/**
 * Returns how this run is stored, such as by `codingRun({ store })`, to flush or close it; undefined if it is not
 * stored.
 */
export function storedRunOf(run: RunPort): StoredRun | undefined {
  return storedByRun.get(run);
}
