import { type Dirent, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { RunStore } from "@phasekit/ledger";
import type { LogPlace } from "./log-places.ts";
import { statOf } from "./stat-of.ts";

/** A log: of a tool, a named file, or an own run. */
export interface FoundLog {
  readonly tool: string;
  readonly title: string;
  /** A file; for own runs the folder of the store. */
  readonly path: string;
  /** The argument that selects this log. */
  readonly name: string;
  readonly project?: string;
  /** The time of the last write. */
  readonly updatedAt: number;
  /** The time of the last record, where it is known: a file may be copied or touched. */
  readonly at?: number;
  /** The working directory of the agent, where it is known. */
  readonly folder?: string;
  readonly bytes: number;
  /** The run id, for own runs. */
  readonly run?: string;
  /** The run that started it, for own runs. */
  readonly parent?: string;
  /** The session, if only the folder of the log is named after it. */
  readonly id?: string;
  /** The tool's own log of a live session. */
  readonly ownLog?: string;
  /** The session, in a database with many of them; empty for a database that cannot be listed. */
  readonly session?: string;
  /** False if the process that wrote the run is gone; for own runs. */
  readonly isRunning?: boolean;
  /** The store of the run, if it is not a file store. */
  readonly store?: Pick<RunStore, "read">;
}

const MAX_DEPTH = 8;
const MAX_FILES = 100_000;

/** Returns the logs of a tool, newest first. A missing or unreadable folder has none. */
export async function findLogs({
  tool,
  title,
  folders,
  stores = [],
  isLog,
  projectOf,
  idOf,
}: LogPlace): Promise<readonly FoundLog[]> {
  const found: FoundLog[] = [];
  if (stores.length > 0) {
    // Imported here: it brings every format, and most machines have no such database.
    const { logsInStore } = await import("./store-logs.ts");
    found.push(...stores.flatMap((store) => logsInStore(store, { tool, title })));
  }
  // After an upgrade the old files remain beside the database that has their sessions.
  const known = new Set(found.flatMap(({ session }) => session ?? []));
  for (const folder of folders) {
    for (const path of filesBelow(folder)) {
      if (!isLog(path) || known.has(basename(path, ".json"))) continue;
      const file = join(folder, path);
      const stats = statOf(file);
      if (stats === undefined || stats.bytes === 0) continue;
      const project = projectOf(path);
      const id = idOf?.(path);
      found.push({
        ...{ tool, title, path: file, name: file, ...stats },
        ...(project !== undefined && { project }),
        ...(id !== undefined && { id }),
      });
    }
  }
  return newestFirst(found);
}

/** Returns files below a named folder that may be logs. */
export function logsBelow(folder: string): readonly FoundLog[] {
  const found: FoundLog[] = [];
  for (const path of filesBelow(folder)) {
    if (!/\.(?:jsonl?(?:\.zst|\.gz)?|traj|md|ipynb|ndjson|log|txt)$/.test(path)) continue;
    const file = join(folder, path);
    const stats = statOf(file);
    if (stats !== undefined && stats.bytes > 0)
      found.push({ tool: "file", title: "file", path: file, name: file, ...stats });
  }
  return newestFirst(found);
}

/** Returns when the agent last worked: the time of the last record, else of the last write. */
export const timeOf = ({ at, updatedAt }: FoundLog): number => at ?? updatedAt;

/** Sorts newest first, then by path for a stable order. */
export function newestFirst(logs: readonly FoundLog[]): readonly FoundLog[] {
  return logs.toSorted((a, b) => timeOf(b) - timeOf(a) || (a.path < b.path ? -1 : 1));
}

/** Returns the files below a folder, with forward slashes. Follows no links. Synchronous: five times as fast. */
export function filesBelow(root: string): readonly string[] {
  const files: string[] = [];
  const walk = (below: string, depth: number): void => {
    for (const entry of entriesOf(join(root, below))) {
      if (files.length >= MAX_FILES) return;
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && depth < MAX_DEPTH && entry.name !== "node_modules" && entry.name !== ".git")
        walk(path, depth + 1);
      else if (entry.isFile()) files.push(path);
    }
  };
  walk("", 0);
  return files;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
