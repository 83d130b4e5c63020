import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { ownerProblem } from "./file-safety.ts";

// Windows has no such flags. Without the second one, opening a pipe that another process put there never returns.
const { O_NOFOLLOW: NO_FOLLOW = 0, O_NONBLOCK: NO_WAIT = 0 } = constants as Readonly<Partial<Record<string, number>>>;
const PRIVATE = 0o700;

/**
 * Returns why a folder must not hold files that we read back: it is a link or not a folder, or another user owns it or
 * can write to it. Returns `undefined` if it may, and if there is none yet.
 */
export function folderProblem(folder: string): string | undefined {
  try {
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (stats.isSymbolicLink()) return "it is a link";
    return stats.isDirectory() ? ownerProblem(stats, "it") : "it is not a folder";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Creates a folder that this user alone can open, and the folders above it that are missing, whatever the umask. */
export function makePrivateFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  const above = dirname(folder);
  if (above !== folder) makePrivateFolder(above);
  try {
    mkdirSync(folder, { mode: PRIVATE });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  if ((lstatSync(folder).mode & 0o777) !== PRIVATE) chmodSync(folder, PRIVATE);
}

/**
 * Reads a file that we wrote, or nothing: a link, a pipe, a device, a file of another user, one that others can write
 * to and one above the limit count as missing. Never waits.
 */
export function readPrivateFile(path: string, { maxBytes }: { readonly maxBytes: number }): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > maxBytes || ownerProblem(stats, "it") !== undefined) return undefined;
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(file, bytes, length, bytes.length - length, length);
    return bytes.toString("utf8", 0, length);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Writes a file atomically, readable by this user only; with `isPublic`, by everyone. Creates missing folders, and
 * replaces a link instead of following it.
 */
export function writePrivateFile(
  path: string,
  text: string,
  { isPublic = false }: { readonly isPublic?: boolean } = {},
): void {
  if (isPublic) mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  else makePrivateFolder(dirname(path));
  const part = `${path}.${randomUUID()}.part`;
  try {
    writeFileSync(part, text, { flag: "wx", mode: 0o600 });
    // Set the mode explicitly: the umask must not restrict a public file.
    if (isPublic) chmodSync(part, 0o644);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
