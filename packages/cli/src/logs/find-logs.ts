import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RunStore } from "@phasekit/ledger";
import type { LogPlace } from "./log-places.ts";

/** A log that can be read: of a tool, a file somebody named, or a run of our own. */
export interface FoundLog {
  readonly tool: string;
  readonly title: string;
  /** A file; for our own runs the folder of the store. */
  readonly path: string;
  /** What to type to get this one again. */
  readonly name: string;
  readonly project?: string;
  readonly updatedAt: number;
  readonly bytes: number;
  /** The id of the run, for runs of our own. */
  readonly run?: string;
  /** Where the run is kept, when it is not in the folder of a file store. */
  readonly store?: Pick<RunStore, "read">;
}

const MAX_DEPTH = 8;
const MAX_FILES = 100_000;

/** The logs of a place, the newest first. A folder that is not there, or may not be read, has none. */
export function findLogs({ tool, title, folders, isLog, projectOf }: LogPlace): readonly FoundLog[] {
  const found: FoundLog[] = [];
  for (const folder of folders) {
    for (const path of filesBelow(folder)) {
      if (!isLog(path)) continue;
      const file = join(folder, path);
      const facts = factsOf(file);
      if (facts === undefined || facts.bytes === 0) continue;
      const project = projectOf(path);
      found.push({ tool, title, path: file, name: file, ...facts, ...(project !== undefined && { project }) });
    }
  }
  return newestFirst(found);
}

/** Any files that may be logs below a folder somebody named. */
export function logsBelow(folder: string): readonly FoundLog[] {
  const found: FoundLog[] = [];
  for (const path of filesBelow(folder)) {
    if (!/\.(?:jsonl?|traj|md|ipynb|ndjson|log|txt)$/.test(path)) continue;
    const file = join(folder, path);
    const facts = factsOf(file);
    if (facts !== undefined && facts.bytes > 0) found.push({ tool: "file", title: "file", path: file, name: file, ...facts });
  }
  return newestFirst(found);
}

/** Newest first; of equals, by path, so that the order is always the same. */
export function newestFirst(logs: readonly FoundLog[]): readonly FoundLog[] {
  return logs.toSorted((a, b) => b.updatedAt - a.updatedAt || (a.path < b.path ? -1 : 1));
}

/** When a file was last written and how large it is; `undefined` for what is no file. */
export function factsOf(path: string): { readonly updatedAt: number; readonly bytes: number } | undefined {
  try {
    const facts = statSync(path);
    return facts.isFile() ? { updatedAt: facts.mtimeMs, bytes: facts.size } : undefined;
  } catch {
    return undefined;
  }
}

/** Paths of files below a folder, with forward slashes. Links are not followed. To wait for each file in turn would take five times as long. */
function filesBelow(root: string): readonly string[] {
  const files: string[] = [];
  const walk = (below: string, depth: number): void => {
    for (const entry of entriesOf(join(root, below))) {
      if (files.length >= MAX_FILES) return;
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && depth < MAX_DEPTH && entry.name !== "node_modules" && entry.name !== ".git") walk(path, depth + 1);
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
