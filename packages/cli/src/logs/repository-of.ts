import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Worktrees are kept in a hidden folder of the repository or beside it: `app/.worktrees/fix`,
 * `app/.claude/worktrees/fix`, `app__worktrees/fix`, `app-worktrees/fix`.
 */
const WORKTREE = /^(.+?)(?:[\\/]\.(?:[\w-]+[\\/])?|__|[-.])worktrees[\\/][^\\/]+/;
/** The text of the `.git` file of a worktree. */
const GITDIR = /^gitdir:\s*(.+?)[\\/]\.git[\\/]worktrees[\\/]/;
const found = new Map<string, string>();

/** Returns the repository that a working directory is a worktree of, else the directory itself. */
export function repositoryOf(folder: string): string {
  const known = found.get(folder);
  if (known !== undefined) return known;
  const repository = WORKTREE.exec(folder)?.[1] ?? GITDIR.exec(gitFile(folder))?.[1] ?? folder;
  found.set(folder, repository);
  return repository;
}

/** The text of the `.git` file of a worktree; empty for other folders, and for those of another machine. */
function gitFile(folder: string): string {
  try {
    return readFileSync(join(folder, ".git"), "utf8");
  } catch {
    return "";
  }
}
