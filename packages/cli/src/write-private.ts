import { randomUUID } from "node:crypto";
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file atomically, readable by this user only; with `isPublic`, by everyone. Replaces a symbolic link instead
 * of following it.
 */
export async function writePrivate(
  path: string,
  text: string,
  { isPublic }: { readonly isPublic: boolean },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: isPublic ? 0o755 : 0o700 });
  const part = `${path}.${randomUUID()}.part`;
  await writeFile(part, text, { flag: "wx", mode: 0o600 });
  // Set the mode explicitly: the umask must not restrict a public file.
  if (isPublic) await chmod(part, 0o644);
  try {
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
