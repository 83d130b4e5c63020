import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { createFileStore, type FileStore, type FileStoreOptions } from "../file-store.ts";
import type { FileSystem } from "../file-system.ts";
import type { Processes } from "../process-identity.ts";
import { knownEvents } from "./known-log.ts";

export const ROOT = "/disk/runs";
export const RUN = "r1";

/** Every holder before is gone: each store is a process of its own that follows the last. */
export const oneAfterTheOther: Processes = {
  self: () => ({ pid: 1, start: "", boot: "", host: "", space: "", nonce: String((nonce += 1)) }),
  isGone: () => true,
};
let nonce = 0;

export function openStore(files: FileSystem, options: FileStoreOptions = {}): FileStore {
  return createFileStore(ROOT, { files, processes: oneAfterTheOther, clock: () => 1, ...options });
}

export async function readAll(files: FileSystem): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const batch of openStore(files).read(RUN)) events.push(...batch);
  return events;
}

/** What became of a scripted life: the last event acknowledged, the last one tried, and failures without a code. */
export interface Lived {
  readonly acknowledged: number;
  readonly attempted: number;
  readonly untyped: readonly unknown[];
}

/**
 * The scripted life of a log: new, several levels, rotation, an end, a second process. Tells of each acknowledgement
 * as it comes.
 */
export async function live(
  files: FileSystem,
  onAcknowledged: (end: number, level: "kernel" | "disk") => void = () => undefined,
): Promise<Lived> {
  let end = 0;
  let attempted = 0;
  const untyped: unknown[] = [];
  const levelOf = (first: number): "kernel" | "disk" => (first % 3 === 0 ? "disk" : "kernel");
  for (const steps of [
    [1, 2, 3, 1, 4, 1, 2],
    [2, 1, 5],
  ]) {
    let store: FileStore;
    try {
      store = openStore(files, { segmentBytes: 1500, level: (events) => levelOf(events[0]?.seq ?? 0) });
    } catch (error) {
      if (!isPhasekitError(error)) untyped.push(error);
      continue;
    }
    for (const count of steps) {
      const events = knownEvents(RUN, { first: end + 1, last: end + count });
      attempted = Math.max(attempted, end + count);
      // An append that failed is sent again once, as `storeRun` does.
      for (let attempt = 0; attempt < 2; attempt += 1) {
        try {
          await store.append(RUN, events, { after: end });
          onAcknowledged(end + count, levelOf(end + 1));
          end += count;
          break;
        } catch (error) {
          if (!isPhasekitError(error)) untyped.push(error);
        }
      }
    }
    await store.close().catch((error: unknown) => untyped.push(error));
  }
  return { acknowledged: end, attempted, untyped };
}
