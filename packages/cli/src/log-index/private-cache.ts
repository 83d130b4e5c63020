import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Parses a cache file; `undefined` if it is missing, cut off or not JSON. */
export function readCache(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Writes a cache file atomically, readable by this user only. Never throws: without the file, the next command works
 * it out again.
 */
export function writeCache(path: string, content: unknown): void {
  const part = `${path}.${randomUUID()}.part`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(part, JSON.stringify(content), { flag: "wx", mode: 0o600 });
    renameSync(part, path);
  } catch {
    removeCache(part);
  }
}

/** Removes a cache file or folder. Never throws. */
export function removeCache(path: string): void {
  try {
    rmSync(path, { force: true, recursive: true });
  } catch {
    // It stays: nothing in it is trusted anyway.
  }
}
