import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { valueChecks } from "@phasekit/core/adapter";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { damagedStore, storeUnreadable } from "../errors.ts";
import { isRunSummary } from "../records/is-run-summary.ts";
import { applyRunQuery, type RunQuery } from "../run-store.ts";
import { createSummary, type RunSummary } from "../summarize-run.ts";
import { type FileSystem, readWhole } from "./file-system.ts";
import { newestSegment } from "./follow-log.ts";
import { notedSegments } from "./noted-segments.ts";
import type { Processes } from "./process-identity.ts";
import { readLog } from "./read-log.ts";
import { folderName, type RunFolder, runFolder } from "./run-folder.ts";
import { isHeld } from "./run-lock.ts";
import { parseSegmentName } from "./segment-format.ts";

export interface RunListOptions {
  readonly files: FileSystem;
  readonly processes: Processes;
  readonly base: string;
  /** True if this process writes the run now. */
  readonly isWritten: (run: string) => boolean;
  /** Called for every run that cannot be read; the others are listed. */
  readonly onError: (problem: unknown) => void;
}

interface CacheEntry {
  /** The newest file of the log and its size: the summary holds as long as they do. */
  readonly state: string;
  readonly summary: RunSummary;
}

/** The number of runs after which others get a turn. */
const RUNS_PER_TURN = 50;
/** The largest file with a summary that is read. */
const MAX_CACHE = 4 * 1024 * 1024;
/** Summaries that no file can be written for. */
const MAX_REMEMBERED = 10_000;

/**
 * Lists the runs of a folder. The summary of an ended run is kept in a file beside its log, or in memory where nothing
 * may be written.
 */
export function createRunList(options: RunListOptions): (query?: RunQuery) => Promise<readonly RunSummary[]> {
  return new Listing(options).list;
}

class Listing {
  readonly #files: FileSystem;
  readonly #processes: Processes;
  readonly #base: string;
  readonly #isWritten: (run: string) => boolean;
  readonly #onError: (problem: unknown) => void;
  readonly #remembered = new Map<string, CacheEntry>();

  constructor({ files, processes, base, isWritten, onError }: RunListOptions) {
    this.#files = files;
    this.#processes = processes;
    this.#base = base;
    this.#isWritten = isWritten;
    this.#onError = onError;
  }

  readonly list = async (query?: RunQuery): Promise<readonly RunSummary[]> => {
    const summaries: RunSummary[] = [];
    let names: readonly string[];
    try {
      names = this.#files.names(this.#base);
    } catch (error) {
      throw storeUnreadable(this.#base, error);
    }
    for (const [index, name] of names.entries()) {
      if (index % RUNS_PER_TURN === RUNS_PER_TURN - 1) await setImmediate();
      const summary = this.#summaryIn(name);
      if (summary !== undefined) summaries.push(summary);
    }
    return applyRunQuery(summaries, query);
  };

  /** The cached summary of a run, valid while its log does not change. */
  #kept(folder: RunFolder, name: string, state: string): RunSummary | undefined {
    const holds = (cached: CacheEntry | undefined): boolean =>
      cached?.state === state && folderName(cached.summary.run) === name;
    const inMemory = this.#remembered.get(name);
    if (holds(inMemory)) return inMemory?.summary;
    const inFile = readCache(this.#files, folder.summary);
    return holds(inFile) ? inFile?.summary : undefined;
  }

  #summarize(folder: RunFolder, run: string, state: string): RunSummary | undefined {
    const summary = createSummary();
    let whole = true;
    let any = false;
    const parts = readLog({ files: this.#files, folder, run, salvage: true });
    let next = parts.next();
    for (; next.done !== true; next = parts.next()) {
      const part = next.value;
      // A summary tells what came before the first gap; what follows may contradict it.
      if ("gap" in part || (whole && !addAll(summary, part.events))) whole = false;
      any ||= whole && "events" in part;
    }
    const [damage] = next.value.damage;
    if (!any && damage !== undefined) throw damagedStore(run, damage);
    if (!any) return undefined;
    const found = summary.get();
    if (found.reason === undefined && isHeld({ files: this.#files, processes: this.#processes, folder }))
      return summary.get({ alive: true });
    if (whole && found.reason !== undefined && !this.#isWritten(run)) this.#keep(folder, { state, summary: found });
    return found;
  }

  #keep(folder: RunFolder, cached: CacheEntry): void {
    if (writeCache(this.#files, folder.summary, cached)) return;
    if (this.#remembered.size < MAX_REMEMBERED) this.#remembered.set(folderName(cached.summary.run), cached);
  }

  #summaryIn(name: string): RunSummary | undefined {
    const folder = runFolder(this.#base, name);
    try {
      if (name.startsWith(".") || this.#files.stat(folder.root)?.kind === "file") return undefined;
      const newest = newestSegment(this.#files, folder);
      const state = newest === undefined ? "" : `${newest.name}:${String(newest.size)}`;
      const known = this.#kept(folder, name, state);
      if (known !== undefined) return known;
      const run = idOf(this.#files, folder, name);
      const [noted] = newest === undefined ? notedSegments(this.#files, folder).slice(-1) : [];
      if (noted !== undefined)
        throw damagedStore(run ?? name, { segment: noted, byte: 0, problem: "the file is gone, and its mark with it" });
      return run === undefined ? undefined : this.#summarize(folder, run, state);
    } catch (error) {
      // It may have been removed meanwhile.
      if (this.#files.stat(folder.root) !== undefined)
        this.#onError(isPhasekitError(error) ? error : storeUnreadable(folder.root, error));
      return undefined;
    }
  }
}

/** True if all of them could be added; a newer version may have written what this one does not know. */
function addAll(summary: ReturnType<typeof createSummary>, events: readonly RunEvent[]): boolean {
  try {
    for (const event of events) summary.add(event);
    return true;
  } catch (error) {
    if (isPhasekitError(error, "UNKNOWN_EVENT")) return false;
    throw error;
  }
}

/** The id of the run in a folder, from the first header that says one which belongs there. */
function idOf(files: FileSystem, folder: RunFolder, name: string): string | undefined {
  const segments = files.names(folder.log);
  for (const segment of segments) {
    if (parseSegmentName(segment) === undefined) continue;
    const path = join(folder.log, segment);
    if (files.stat(path)?.kind !== "file") continue;
    try {
      const { run } = JSON.parse(firstLine(files, path)) as { readonly run?: unknown };
      if (typeof run === "string" && folderName(run) === name) return run;
    } catch {
      // Damaged; another segment may tell.
    }
  }
  return folderName(name) === name && segments.length > 0 ? name : undefined;
}

/** The header of nearly every segment is short; an id may make it long. */
function firstLine(files: FileSystem, path: string): string {
  const short = readWhole(files, path, 4096);
  const bytes = short.includes("\n") ? short : readWhole(files, path, 1024 * 1024);
  return bytes.toString("utf8", 0, Math.max(0, bytes.indexOf("\n")));
}

const isCacheEntry = valueChecks.fields<CacheEntry>({ state: valueChecks.text, summary: isRunSummary });

/** A file that is damaged or forged counts as missing. */
function readCache(files: FileSystem, path: string): CacheEntry | undefined {
  if (files.stat(path)?.kind !== "file") return undefined;
  try {
    const entry: unknown = JSON.parse(readWhole(files, path, MAX_CACHE).toString("utf8"));
    return isCacheEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Not made sure of on the disk: what a power cut leaves of it does not parse, and then the log is read again. */
function writeCache(files: FileSystem, path: string, cached: CacheEntry): boolean {
  const draft = `${path}.${randomUUID()}`;
  const bytes = Buffer.from(`${JSON.stringify(cached)}\n`);
  try {
    const file = files.create(draft);
    try {
      if (files.write(file, bytes) !== bytes.byteLength) throw new Error("written only in part");
    } finally {
      files.close(file);
    }
    files.rename(draft, path);
    return true;
  } catch {
    forget(files, draft);
    return false;
  }
}

function forget(files: FileSystem, path: string): void {
  try {
    files.remove(path);
  } catch {
    // Nothing can be written here, so nothing was.
  }
}
