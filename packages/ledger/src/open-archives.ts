import type { RunPort } from "@phasekit/core";
import type { Archive } from "./archive-run.ts";
import type { RunStore } from "./run-store.ts";

const archivesByStore = new WeakMap<RunStore, Set<Archive>>();
const archivesByRun = new WeakMap<RunPort, Archive>();

/** Remembers the archive of a run. `open` and `done` say whether it has events that the store may lack. */
export function rememberArchive(
  run: RunPort,
  store: RunStore,
  archive: Archive,
): { readonly open: () => void; readonly done: () => void } {
  const archives = archivesByStore.get(store) ?? new Set();
  archivesByStore.set(store, archives);
  archivesByRun.set(run, archive);
  return { open: () => void archives.add(archive), done: () => void archives.delete(archive) };
}

/**
 * Waits until the store has every event that runs have recorded so far. A store calls it first in its own `close`, so
 * that the end of a run is not lost.
 */
export async function flushArchives(store: RunStore): Promise<void> {
  await Promise.all([...(archivesByStore.get(store) ?? [])].map((archive) => archive.flush()));
}

/**
 * Returns the archive that stores this run, such as the one `codingRun({ archive })` opened; undefined if the run is
 * not stored.
 */
export function archiveOf(run: RunPort): Archive | undefined {
  return archivesByRun.get(run);
}
