import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { readPrivateFile } from "../../config/private-folder.ts";

/** The ids of the last events that were taken in, also by an earlier server: an event is often sent again. */
export interface TakenIds {
  /** True if the event was taken in; remembers it if not. */
  readonly has: (id: string) => boolean;
  /** The store has the event: another server must not take it in again. */
  readonly note: (id: string) => void;
}

const MAX_IDS = 4096;
const MAX_BYTES = 1024 * 1024;

/** Ids in a file, one per line. A file that cannot be read or written counts as empty. */
export function createTakenIds(file: string): TakenIds {
  const stored = (readPrivateFile(file, { maxBytes: MAX_BYTES }) ?? "").split("\n").filter((id) => id !== "");
  const taken = new Set(stored.slice(-MAX_IDS));
  let lines = stored.length;

  function forgetOld(): void {
    if (lines < 2 * MAX_IDS) return;
    writeFileSync(`${file}.new`, [...taken].map((id) => `${id}\n`).join(""), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    lines = taken.size;
  }

  return {
    has: (id) => {
      if (taken.has(id)) return true;
      taken.add(id);
      if (taken.size > MAX_IDS) taken.delete(taken.values().next().value ?? "");
      return false;
    },
    note: (id) => {
      try {
        appendFileSync(file, `${id}\n`, { mode: 0o600 });
        lines += 1;
        forgetOld();
      } catch {
        // Without the file, an event may be taken in twice after a crash.
      }
    },
  };
}
