import { createHash } from "node:crypto";
import { dirname, join, resolve, sep } from "node:path";
import { existsSync } from "node:fs";
import type { FoundLog } from "./find-logs.ts";
import { repositoryOf } from "./repository-of.ts";

/** Returns the working directory of a log; `undefined` if its first records do not name one. */
export function folderOfLog({ path, run, folder, ownLog }: FoundLog): string | undefined {
  return folder ?? (run === undefined || ownLog !== undefined ? undefined : dirname(dirname(path)));
}

/** True if a working directory is the folder of a project, inside it, or a worktree of it. */
export const isInProject = (folder: string, root: string): boolean =>
  [folder, repositoryOf(folder)].some((place) => place === root || place.startsWith(`${root}${sep}`));

/** True if a log belongs to a project: its working directory is the folder, inside it, or a worktree of it. */
export function isOfProject(log: FoundLog, root: string): boolean {
  const folder = folderOfLog(log);
  if (folder !== undefined) return isInProject(folder, root);
  // Gemini CLI names its folders by the hash of the project.
  return (log.ownLog ?? log.path).includes(createHash("sha256").update(root).digest("hex"));
}

/**
 * Returns the project that a folder belongs to: the nearest folder with `.git`, of a worktree its repository, else the
 * folder itself.
 */
export function projectRoot(cwd: string): string {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return repositoryOf(folder);
    if (dirname(folder) === folder) return resolve(cwd);
  }
}
