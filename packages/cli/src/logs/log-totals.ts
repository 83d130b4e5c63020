import type { TranscriptReport } from "@phasekit/transcripts";
import { plural } from "../render/numbers.ts";

/** Totals of reading many logs. */
export interface LogTotals {
  readonly logs: number;
  readonly bytes: number;
  /** Logs that could not be read, and why. */
  readonly unreadable: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  /** Logs that were left out because the command was stopped. */
  readonly notRead: number;
  /** Records that were read, and records that were not recognized. */
  readonly records: number;
  readonly lost: number;
}

/** Says that the totals are those of a part. */
export const stoppedLines = ({ notRead }: Pick<LogTotals, "notRead">): readonly string[] =>
  notRead === 0 ? [] : [`Stopped: ${plural(notRead, "log")} not read.`];

/** Counts unknown and broken records. */
export function lostRecords(report: TranscriptReport | undefined): number {
  if (report === undefined) return 0;
  return [...Object.values(report.unknown), ...Object.values(report.broken)].reduce((sum, count) => sum + count, 0);
}
