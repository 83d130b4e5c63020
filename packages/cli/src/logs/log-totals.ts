import type { TranscriptReport } from "@phasekit/transcripts";

/** Totals of reading many logs. */
export interface LogTotals {
  readonly logs: number;
  readonly bytes: number;
  /** Logs that could not be read, and why. */
  readonly unreadable: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  /** Records that were read, and records that were not recognized. */
  readonly records: number;
  readonly lost: number;
}

/** Counts unknown and broken records. */
export function lostRecords(report: TranscriptReport | undefined): number {
  if (report === undefined) return 0;
  return [...Object.values(report.unknown), ...Object.values(report.broken)].reduce((sum, count) => sum + count, 0);
}
