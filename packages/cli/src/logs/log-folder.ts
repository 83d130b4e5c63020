import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { existsSync } from "node:fs";
import type { FoundLog } from "./find-logs.ts";

/** Tools write the working directory into the first records of a log. */
const HEAD_BYTES = 64 * 1024;
const CWD = /"(?:cwd|directory|workspacePath)"\s*:\s*"((?:[^"\\]|\\.)+)"/;

/** Returns the working directory of a log, from its first records; `undefined` if they do not name one. */
export function folderOfLog({ path, run }: FoundLog): string | undefined {
  if (run !== undefined) return dirname(dirname(path));
  const found = CWD.exec(headOf(path))?.[1];
  if (found === undefined) return undefined;
  try {
    return JSON.parse(`"${found}"`) as string;
  } catch {
    return found;
  }
}

/** True if a log belongs to a project: its working directory is the folder, or inside it. */
export function isOfProject(log: FoundLog, root: string): boolean {
  const folder = folderOfLog(log);
  if (folder !== undefined) return folder === root || folder.startsWith(`${root}${sep}`);
  // Gemini CLI names its folders by the hash of the project.
  return log.path.includes(createHash("sha256").update(root).digest("hex"));
}

/** Returns the project that a folder belongs to: the nearest folder with `.git`, else the folder itself. */
export function projectRoot(cwd: string): string {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return resolve(cwd);
  }
}

function headOf(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, HEAD_BYTES, 0));
  } catch {
    return "";
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
