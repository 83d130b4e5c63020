/** One file of a diff: its path and its added and removed lines. */
export interface DiffFile {
  readonly path: string;
  readonly changed: readonly string[];
}

const MAX_LINES = 20_000;

/** Parses a unified diff, as `git diff` prints it. Only the first 20,000 lines are read. */
export function parseDiff(diff: string): readonly DiffFile[] {
  const files: { path: string; changed: string[] }[] = [];
  let removedPath = "";
  let inHunk = false;
  for (const line of diff.split("\n", MAX_LINES)) {
    if (line.startsWith("diff --git ")) inHunk = false;
    if (!inHunk && line.startsWith("--- ")) removedPath = cleanPath(line.slice(4));
    else if (!inHunk && line.startsWith("+++ ")) {
      const added = cleanPath(line.slice(4));
      files.push({ path: added === "/dev/null" ? removedPath : added, changed: [] });
    } else if (line.startsWith("@@")) inHunk = true;
    else if (inHunk && /^[+-]/.test(line)) files.at(-1)?.changed.push(line.slice(1));
  }
  return files;
}

function cleanPath(path: string): string {
  return path
    .replace(/\t.*$/, "")
    .replace(/^"|"$/g, "")
    .replace(/^[ab]\//, "");
}
