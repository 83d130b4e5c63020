import type { Meaning } from "@phasekit/core";
import { notesOf, callOf } from "@phasekit/core/account";

/** True if an edit touches nothing but files for trying something out. */
export function isScratch(scratchFiles: ReadonlySet<string>, meaning: Meaning): boolean {
  if (notesOf(meaning).scratch === true) return true;
  if (scratchFiles.size === 0) return false;
  const files = callOf({ meaning }).edits;
  return files.length > 0 && files.every((file) => scratchFiles.has(file));
}
