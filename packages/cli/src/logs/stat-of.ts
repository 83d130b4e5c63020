import { statSync } from "node:fs";

/** Returns the time of the last write and the size; `undefined` if the path is not a file. */
export function statOf(path: string): { readonly updatedAt: number; readonly bytes: number } | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() ? { updatedAt: stats.mtimeMs, bytes: stats.size } : undefined;
  } catch {
    return undefined;
  }
}
