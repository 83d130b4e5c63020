import { realpathSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Returns why a file cannot be trusted: another user owns it or can write to it or to its folder. Returns `undefined`
 * if only this user and root can have written it. On Windows every file passes.
 */
export function unsafeBecause(path: string): string | undefined {
  let real: string;
  let file: Stats;
  let folders: readonly Stats[];
  try {
    real = realpathSync(path);
    file = statSync(real);
    // Check the folder of a symbolic link and the folder of its target.
    folders = [...new Set([dirname(path), dirname(real)])].map((folder) => statSync(folder));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (!file.isFile()) return "it is not a file";
  return ownerProblem(file, "it") ?? folders.map((folder) => ownerProblem(folder, "its folder")).find((text) => text);
}

/** Returns who else owns a file or folder or can write to it; `undefined` if only this user and root can. */
export function ownerProblem(
  { uid, gid, mode }: Pick<Stats, "uid" | "gid" | "mode">,
  what: string,
): string | undefined {
  const me = process.getuid?.();
  if (me === undefined) return undefined;
  if (uid !== me && uid !== 0) return `${what} is owned by another user`;
  if ((mode & 0o002) !== 0) return `every user can write to ${what}`;
  // Many systems give each user a group of the same number, with no other member.
  const isOwnGroup = gid === me && gid === process.getgid?.();
  if ((mode & 0o020) !== 0 && !isOwnGroup) return `other users can write to ${what}`;
  return undefined;
}
