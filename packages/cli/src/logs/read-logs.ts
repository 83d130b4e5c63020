import { isPhasekitError, type PhasekitError } from "@phasekit/core";
import type { Progress } from "../progress.ts";
import type { FoundLog } from "./find-logs.ts";
import { type LogTotals, lostRecords } from "./log-totals.ts";
import type { RunReading } from "./play-items.ts";
import type { LogReading } from "./read-log.ts";

/**
 * Reads the runs of many logs, one log after the other, so that the largest run bounds memory. Skips unreadable logs,
 * unless all are.
 * @throws UNREADABLE_LOG, CANNOT_READ
 */
export async function readLogs<TStory>(
  logs: readonly FoundLog[],
  {
    read,
    take,
    progress,
    signal,
  }: {
    /** Reads the runs of one log. */
    readonly read: (log: FoundLog) => AsyncGenerator<RunReading<TStory>, LogReading, undefined>;
    readonly take: (reading: RunReading<TStory>, log: FoundLog, format: string) => void;
    readonly progress?: Progress;
    readonly signal?: AbortSignal;
  },
): Promise<LogTotals> {
  const unreadable: { path: string; code: string; message: string }[] = [];
  let records = 0;
  let lost = 0;
  let logCount = 0;
  let bytes = 0;
  let problem: PhasekitError | undefined;
  for (const log of logs) {
    if (signal?.aborted === true) break;
    try {
      const readings = read(log);
      for (let next = await readings.next(); ; next = await readings.next()) {
        if (next.done === true) {
          const { report } = next.value;
          records += report?.records ?? 0;
          lost += lostRecords(report);
          break;
        }
        take(next.value, log, next.value.about.format);
      }
      logCount += 1;
      bytes += log.bytes;
    } catch (error) {
      if (!isPhasekitError(error)) throw error;
      problem ??= error;
      unreadable.push({ path: log.path, code: error.code, message: error.message });
    }
    progress?.step(logCount + unreadable.length);
  }
  progress?.end();
  if (problem !== undefined && logCount === 0) throw problem;
  const notRead = logs.length - logCount - unreadable.length;
  return { logs: logCount, bytes, unreadable, notRead, records, lost };
}
