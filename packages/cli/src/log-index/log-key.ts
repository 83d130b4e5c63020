import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FoundLog } from "../logs/find-logs.ts";

/**
 * Returns the state of all files that a log is read from: a log with another key has changed. `undefined` if they are
 * not known, so that a summary of it cannot be kept.
 */
export function logKey({ tool, path, run, session, store, updatedAt, bytes }: FoundLog): string | undefined {
  if (store !== undefined) return undefined;
  if (run !== undefined) return filesKey(join(path, run, "log"));
  // Any change of the database may be one of this session.
  if (session !== undefined) return session === "" ? undefined : `${fileKey(path)} ${fileKey(`${path}-wal`)}`;
  // Old versions of opencode keep each message in a file of its own.
  if (tool === "opencode") return undefined;
  return `${String(bytes)} ${String(updatedAt)}`;
}

/** Names a log on this machine. */
export const logName = ({ path, run, session }: FoundLog): string => [path, run ?? "", session ?? ""].join("\n");

function fileKey(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "none" : `${String(stats.size)} ${String(stats.mtimeMs)}`;
}

function filesKey(folder: string): string | undefined {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => `${name} ${fileKey(join(folder, name))}`)
      .join("\n");
  } catch {
    return undefined;
  }
}
