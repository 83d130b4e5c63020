import { setBounded } from "@phasekit/core/adapter";
import type { ChangedFile } from "./patch-files.ts";

const MAX_FILES = 64;
const MAX_LINES = 32;
/** Shorter lines, such as a brace, are in many places of a file. */
const MIN_LENGTH = 12;
/** Readers of files cut long ones; a text of this size may lack its end. */
const MAX_SHOWN = 60_000;

interface Change {
  /** The longest line each edit added, and the longest it replaced. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Remembers a line that each edit of a file wrote and one that it replaced: the longest, which is hardly anywhere
 * else. A file that is shown and has none of the new lines is back in its old state: the user, or another program,
 * has undone the change. Bounded.
 */
export class WrittenLines {
  readonly #changeByFile = new Map<string, Change>();

  /** Notes an edit of a file. If it adds no line that differs from the others, the file is forgotten. */
  note({ path, lines }: ChangedFile): void {
    const [added, removed] = [linesOf(lines("+")), linesOf(lines("-"))];
    const [written] = longestOf(added, removed);
    if (written === undefined) {
      this.#changeByFile.delete(path);
      return;
    }
    const before = this.#changeByFile.get(path);
    const change = {
      added: [...(before?.added ?? []), written].slice(-MAX_LINES),
      removed: [...(before?.removed ?? []), ...longestOf(removed, added)].slice(-MAX_LINES),
    };
    setBounded(this.#changeByFile, [path, change], MAX_FILES);
  }

  /** True if a file, as it is shown, has lost what was written into it. It is forgotten then. */
  isGone(path: string, show: () => string, { whole }: { readonly whole: boolean }): boolean {
    const change = this.#changeByFile.get(path);
    if (change === undefined) return false;
    const shown = show();
    if (shown.length > MAX_SHOWN || change.added.some((line) => shown.includes(line))) return false;
    // A part of a file may be another part: two of the lines that were replaced must be in it again.
    const back = change.removed.filter((line) => shown.includes(line)).length;
    return (whole || back > 1) && this.#changeByFile.delete(path);
  }
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(({ length }) => length >= MIN_LENGTH);
}

/** The longest of these lines that is not among the others, if there is one. */
function longestOf(lines: readonly string[], others: readonly string[]): readonly string[] {
  let longest: string | undefined;
  for (const line of lines) if (line.length > (longest?.length ?? 0) && !others.includes(line)) longest = line;
  return longest === undefined ? [] : [longest];
}
