import { valueChecks } from "@phasekit/core/adapter";
import { closeSync, openSync, readSync } from "node:fs";
import type { FoundLog } from "../logs/find-logs.ts";
import { openPrivateCache } from "./private-cache.ts";

/** Time and folder of a log, from the first and last records of a log. */
interface LogHead {
  /** The time of the last record. */
  readonly at?: number;
  /** The working directory of the agent. */
  readonly folder?: string;
}

/** A head, and the size and time of the file it was read from. */
type StoredHead = readonly [bytes: number, updatedAt: number, head: LogHead];

const SHAPE = 1;
const FILE = "log-heads.json";
/** Beyond this, heads of logs that were not asked for are dropped. */
const MAX_HEADS = 20_000;

/**
 * Adds to every log the time of its last record and its folder. A log was copied or restored if the time of its file
 * is another one. Keeps them in a file of the cache folder, because `why` needs them of all logs on a machine.
 */
export function withHeads(logs: readonly FoundLog[], cacheFolder: string | undefined): readonly FoundLog[] {
  const cache = cacheFolder === undefined ? undefined : openPrivateCache(cacheFolder);
  const stored = new Map(cache?.read(FILE, isStored)?.heads);
  const read = new Map<string, StoredHead>();
  const all = logs.map((log) => {
    const { path, bytes, updatedAt, run, session } = log;
    // The store of a run, and a database, know the time of each.
    if (run !== undefined || session !== undefined) return log;
    const found = stored.get(path);
    if (found?.[0] === bytes && found[1] === updatedAt) return withHead(log, found[2]);
    const head = readHead(path, { bytes, updatedAt });
    read.set(path, [bytes, updatedAt, head]);
    return withHead(log, head);
  });
  if (cache !== undefined && read.size > 0) {
    const kept = stored.size + read.size > MAX_HEADS ? current(stored, logs) : stored;
    cache.write(FILE, { shape: SHAPE, heads: [...new Map([...kept, ...read])] });
  }
  return all;
}

const withHead = (log: FoundLog, { at, folder }: LogHead): FoundLog => ({
  ...log,
  ...(at !== undefined && { at }),
  ...(folder !== undefined && { folder }),
});

const current = (stored: ReadonlyMap<string, StoredHead>, logs: readonly FoundLog[]): ReadonlyMap<string, StoredHead> =>
  new Map(
    logs.flatMap(({ path }) => {
      const head = stored.get(path);
      return head === undefined ? [] : [[path, head] as const];
    }),
  );

interface StoredHeads {
  readonly shape: typeof SHAPE;
  readonly heads: readonly (readonly [path: string, StoredHead])[];
}

const { fields, list, number, optional, text } = valueChecks;
const isHead = fields<LogHead>({ at: optional(number), folder: optional(text) });
const isEntry = (value: unknown): value is StoredHeads["heads"][number] => {
  if (!Array.isArray(value) || !text(value[0]) || !Array.isArray(value[1])) return false;
  const [bytes, updatedAt, head] = value[1] as readonly unknown[];
  return number(bytes) && number(updatedAt) && isHead(head);
};
const isStored = fields<StoredHeads>({
  shape: (value): value is typeof SHAPE => value === SHAPE,
  heads: list(isEntry, 2 * MAX_HEADS),
});

const SMALL = 8 * 1024;
const LARGE = 64 * 1024;
const FOLDER = /"(?:cwd|directory|workspacePath)"\s*:\s*"((?:[^"\\]|\\.)+)"/;
const TIME = /"(?:timestamp|lastUpdated|updated|completed|ts)"\s*:\s*(?:"(\d{4}-\d\d-\d\dT[^"]{5,30})"|(\d{13})\b)/g;
/** Clocks of two machines may differ by this much. */
const CLOCK_MS = 3_600_000;

/** Reads the first and last records of a log: few of them, and more if those are long. */
function readHead(path: string, { bytes, updatedAt }: { readonly bytes: number; readonly updatedAt: number }): LogHead {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    let at: number | undefined;
    let folder: string | undefined;
    for (const size of bytes > SMALL ? [SMALL, LARGE] : [SMALL]) {
      at ??= lastTime(partOf(file, Math.max(0, bytes - size), size), updatedAt);
      folder ??= folderIn(partOf(file, 0, size));
    }
    return { ...(at !== undefined && { at }), ...(folder !== undefined && { folder }) };
  } catch {
    return {};
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function partOf(file: number, from: number, size: number): string {
  const part = Buffer.alloc(size);
  return part.toString("utf8", 0, readSync(file, part, 0, size, from));
}

/** The latest time that is not after the file was written. */
function lastTime(text: string, updatedAt: number): number | undefined {
  let last: number | undefined;
  for (const [, date, number] of text.matchAll(TIME)) {
    const at = date === undefined ? Number(number) : Date.parse(date);
    if (at <= updatedAt + CLOCK_MS && at > (last ?? 0)) last = at;
  }
  return last;
}

function folderIn(text: string): string | undefined {
  const found = FOLDER.exec(text)?.[1];
  if (found === undefined) return undefined;
  try {
    return JSON.parse(`"${found}"`) as string;
  } catch {
    return found;
  }
}
