import { valueChecks } from "@phasekit/core/adapter";
import { createHash } from "node:crypto";
import { presetOf } from "../config/config-preset.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import type { RunReading } from "../logs/play-items.ts";
import type { LogReading } from "../logs/read-log.ts";
import { logKey, logName } from "./log-key.ts";
import { openPrivateCache, type PrivateCache } from "./private-cache.ts";
import { readerVersion } from "./reader-version.ts";
import { isLogSummary } from "./summary-check.ts";

/** The runs of a log, without their events, and the report on its records. */
export interface LogSummary extends LogReading {
  /** The name of the tool that wrote it, for people. */
  readonly title: string;
  readonly runs: readonly RunReading[];
}

/** Summaries of logs that were read before. It is safe to delete, and several processes can share it. */
export interface LogIndex {
  /** Returns the summary of a log that has not changed since. */
  readonly get: (log: FoundLog) => LogSummary | undefined;
  /** Returns a function that keeps the summary of a log. Call this before the log is read: it may grow meanwhile. */
  readonly prepare: (log: FoundLog) => (summary: LogSummary) => void;
}

interface StoredSummary {
  readonly key: string;
  readonly reader: string;
  readonly summary: LogSummary;
}

/** A log with thousands of runs is read again instead. */
const MAX_RUNS = 1000;
/** More of a task is never shown. */
const MAX_TASK = 500;

/** An index that keeps nothing. */
export const noLogIndex: LogIndex = { get: () => undefined, prepare: () => () => undefined };

/**
 * Opens the index in the cache folder of the user, for summaries made with the policies of a config. It keeps nothing
 * without the folder, and if the policies are code.
 */
export function openLogIndex(cacheFolder: string | undefined, config: LoadedConfig): LogIndex {
  const preset = presetOf(config);
  const version = cacheFolder === undefined || preset === undefined ? undefined : readerVersion();
  if (cacheFolder === undefined || preset === undefined || version === undefined) return noLogIndex;
  return createLogIndex(openPrivateCache(cacheFolder), `${version} ${preset}`);
}

/**
 * Creates an index in a cache, for summaries made by one reader. Every log has a file of its own, named by its path, so
 * that processes never wait for each other; the newest summary wins.
 */
export function createLogIndex(cache: PrivateCache, reader: string): LogIndex {
  return {
    get: (log) => {
      const stored = cache.read(fileOf(log), isStored);
      return stored?.reader === reader && stored.key === logKey(log) ? stored.summary : undefined;
    },
    prepare: (log) => {
      const key = logKey(log);
      return (summary) => {
        if (key === undefined || summary.runs.length > MAX_RUNS) return;
        const stored: StoredSummary = { key, reader, summary: shortened(summary) };
        cache.write(fileOf(log), stored);
      };
    },
  };
}

const fileOf = (log: FoundLog): string =>
  `logs/${createHash("sha256").update(logName(log)).digest("hex").slice(0, 32)}.json`;

/** Drops the text that no command shows of a summary. */
function shortened({ runs, ...reading }: LogSummary): LogSummary {
  return {
    ...reading,
    runs: runs.map(({ about, ending: { summary: _summary, ...ending }, story }) => ({
      about:
        about.task?.text === undefined
          ? about
          : { ...about, task: { ...about.task, text: about.task.text.slice(0, MAX_TASK) } },
      ending,
      story,
    })),
  };
}

const isStored = valueChecks.fields<StoredSummary>({
  key: valueChecks.text,
  reader: valueChecks.text,
  summary: isLogSummary,
});
