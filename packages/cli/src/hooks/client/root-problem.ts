// Imported by the hook command, which starts for every event: no imports but these.
import { lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ownerProblem } from "../../config/file-safety.ts";
import type { HookPaths } from "./hook-paths.ts";

/**
 * Returns why our folders must not be used: another user owns one of them or can write to it, and so could answer in
 * our place. Returns `undefined` if they may, and if there are none yet.
 */
export function rootProblem({ root, socket, mustProve }: HookPaths): string | undefined {
  const folders = mustProve ? [root] : [...new Set([root, dirname(socket)])];
  for (const folder of folders) {
    const problem = folderProblem(folder);
    if (problem !== undefined) return `Phasekit does not use ${folder}: ${problem}`;
  }
  return undefined;
}

/** Follows a link of the user's own. */
function folderProblem(folder: string): string | undefined {
  try {
    const entry = lstatSync(folder, { throwIfNoEntry: false });
    if (entry === undefined) return undefined;
    const { uid, gid } = entry;
    const link = entry.isSymbolicLink() ? ownerProblem({ uid, gid, mode: 0 }, "the link") : undefined;
    if (link !== undefined) return link;
    const stats = statSync(folder);
    return stats.isDirectory() ? ownerProblem(stats, "it") : "it is not a folder";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
