import { isPhasekitError, type PhasekitError } from "@phasekit/core";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { presetOf } from "../config/config-preset.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import type { LogTotals } from "../logs/log-totals.ts";
import { lostRecords } from "../logs/log-totals.ts";
import type { RunReading } from "../logs/play-items.ts";
import type { Progress } from "../progress.ts";
import { type LogIndex, type LogSummary, noLogIndex } from "./log-index.ts";
import type { ReadPool } from "./read-pool.ts";

/** A thread takes as long to start as to read this many bytes. */
const BYTES_PER_THREAD = 2 * 1024 * 1024;
const MAX_THREADS = 8;

/** Options for `summarizeLogs()`. */
export interface SummarizeOptions {
  readonly config: LoadedConfig;
  /** @default none: every log is read */
  readonly index?: LogIndex;
  /** Called with the runs of all logs, in the order of the logs. */
  readonly take: (reading: RunReading, log: FoundLog, title: string) => void;
  /** Counts bytes. */
  readonly progress?: (total: number) => Progress;
  readonly signal?: AbortSignal;
  /** The most threads to read with. @default the number of processors */
  readonly threads?: number;
}

/**
 * Summarizes the runs of many logs: takes those that have not changed from the index, and reads the others, on several
 * threads if there is much to read. Skips logs that cannot be read, unless there is no other.
 * @throws UNREADABLE_LOG, CANNOT_READ, READER_FAILED
 */
export async function summarizeLogs(
  logs: readonly FoundLog[],
  { config, index = noLogIndex, take, progress: createProgress, signal, threads }: SummarizeOptions,
): Promise<LogTotals> {
  const known = logs.map((log) => index.get(log));
  const missing = logs.filter((_log, place) => known[place] === undefined);
  const total = missing.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = createProgress?.(total);
  let done = 0;
  const reader = await createReader(missing, {
    config,
    total,
    threads: threads ?? availableParallelism(),
    onRead: (bytes) => {
      done += bytes;
      progress?.step(done);
    },
  });
  const stop = (): void => void reader.close();
  signal?.addEventListener("abort", stop);
  try {
    // The largest first, so that no thread ends with it alone.
    const reading = new Map(
      missing
        .toSorted((a, b) => b.bytes - a.bytes)
        .map((log) => {
          const keep = index.prepare(log);
          const summary = reader.read(log);
          // Rejections are handled below, in the order of the logs.
          summary.then(keep, () => undefined);
          return [log, summary] as const;
        }),
    );
    return await collect(logs, (log, place) => known[place] ?? reading.get(log), { take, signal });
  } finally {
    signal?.removeEventListener("abort", stop);
    progress?.end();
    await reader.close();
  }
}

async function collect(
  logs: readonly FoundLog[],
  summaryOf: (log: FoundLog, place: number) => LogSummary | Promise<LogSummary> | undefined,
  { take, signal }: { readonly take: SummarizeOptions["take"]; readonly signal: AbortSignal | undefined },
): Promise<LogTotals> {
  const unreadable: { path: string; code: string; message: string }[] = [];
  const sums = { logs: 0, bytes: 0, notRead: 0, records: 0, lost: 0 };
  let problem: PhasekitError | undefined;
  for (const [place, log] of logs.entries()) {
    try {
      const summary = await summaryOf(log, place);
      if (summary === undefined) continue;
      for (const run of summary.runs) take(run, log, summary.title);
      sums.logs += 1;
      sums.bytes += log.bytes;
      sums.records += summary.report?.records ?? 0;
      sums.lost += lostRecords(summary.report);
    } catch (error) {
      if (!isPhasekitError(error)) throw error;
      if (signal?.aborted === true) {
        // Later logs may have been read before it.
        sums.notRead += 1;
        continue;
      }
      problem ??= error;
      unreadable.push({ path: log.path, code: error.code, message: error.message });
    }
  }
  if (problem !== undefined && sums.logs === 0) throw problem;
  return { ...sums, unreadable };
}

interface ReaderOptions {
  readonly config: LoadedConfig;
  readonly total: number;
  readonly threads: number;
  readonly onRead: (bytes: number) => void;
}

/** Creates a reader: a pool if it pays, else this thread. Policies that are code run in this thread only. */
async function createReader(
  missing: readonly FoundLog[],
  { config, total, threads, onRead }: ReaderOptions,
): Promise<ReadPool> {
  const preset = presetOf(config);
  const size = Math.min(threads, missing.length, Math.floor(total / BYTES_PER_THREAD), MAX_THREADS);
  const canPool = preset !== undefined && size > 1 && missing.every(({ store }) => !store);
  if (!canPool) return missing.length === 0 ? closedReader : await createOwnReader(config, onRead);
  const { createReadPool } = await import("./read-pool.ts");
  return createReadPool({
    file: pathToFileURL(createRequire(import.meta.url).resolve("#read-worker")),
    size,
    preset,
    onRead,
  });
}

const closedReader: ReadPool = {
  read: () => Promise.reject(new Error("There is nothing to read.")),
  close: () => Promise.resolve(),
};

/** Reads in this thread, one log after the other, so that the largest run bounds memory. */
async function createOwnReader(config: LoadedConfig, onRead: (bytes: number) => void): Promise<ReadPool> {
  // Imported here: with an index, there is often nothing to read.
  const [{ summarizeLog }, { configuredSet }] = await Promise.all([
    import("./summarize-log.ts"),
    import("../run-presets.ts"),
  ]);
  const set = await configuredSet(config);
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  return {
    read: (log) => {
      const summary = last.then(async () => {
        if (isClosed) throw (await import("../errors.ts")).readerFailed(log.path, "the command was stopped");
        return await summarizeLog(log, { set, onRead });
      });
      last = summary.catch(() => undefined);
      return summary;
    },
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
}
