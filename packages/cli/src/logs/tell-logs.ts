import { isPhasekitError, type PhasekitError } from "@phasekit/core";
import type { TranscriptReport } from "@phasekit/transcripts";
import type { Progress } from "../progress.ts";
import type { FoundLog } from "./find-logs.ts";
import type { ToldRun } from "./play-items.ts";
import type { LogReading } from "./read-log.ts";

/** What reading many logs came to. */
export interface ReadLogs {
  readonly logs: number;
  readonly bytes: number;
  /** Logs that could not be read, and why. The others are told all the same. */
  readonly unreadable: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  /** Records of logs that were read, and those that were not understood. */
  readonly records: number;
  readonly lost: number;
}

/**
 * Tells the runs of many logs, one log after the other, so that memory is bounded by the largest run. A log that cannot
 * be read is passed over, unless none can.
 * @throws UNREADABLE_LOG, CANNOT_READ
 */
export async function tellLogs<TStory>(
  logs: readonly FoundLog[],
  { tell, take, progress, signal }: {
    /** Tells the runs of one log. */
    readonly tell: (log: FoundLog) => AsyncGenerator<ToldRun<TStory>, LogReading, undefined>;
    readonly take: (told: ToldRun<TStory>, log: FoundLog, format: string) => void;
    readonly progress?: Progress;
    readonly signal?: AbortSignal;
  },
): Promise<ReadLogs> {
  const unreadable: { path: string; code: string; message: string }[] = [];
  let records = 0;
  let lost = 0;
  let read = 0;
  let bytes = 0;
  let problem: PhasekitError | undefined;
  for (const log of logs) {
    if (signal?.aborted === true) break;
    try {
      const telling = tell(log);
      for (let next = await telling.next(); ; next = await telling.next()) {
        if (next.done === true) {
          const { report } = next.value;
          records += report?.records ?? 0;
          lost += report === undefined ? 0 : lostRecords(report);
          break;
        }
        take(next.value, log, next.value.about.format);
      }
      read += 1;
      bytes += log.bytes;
    } catch (error) {
      if (!isPhasekitError(error)) throw error;
      problem ??= error;
      unreadable.push({ path: log.path, code: error.code, message: error.message });
    }
    progress?.step(read + unreadable.length);
  }
  progress?.end();
  if (problem !== undefined && read === 0) throw problem;
  return { logs: read, bytes, unreadable, records, lost };
}

/** Records that are unknown or broken: what a story may lack. */
export function lostRecords(report: TranscriptReport | undefined): number {
  if (report === undefined) return 0;
  return [...Object.values(report.unknown), ...Object.values(report.broken)].reduce((sum, count) => sum + count, 0);
}
