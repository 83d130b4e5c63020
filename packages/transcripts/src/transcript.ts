import type { NewEvent, Reason } from "@phasekit/core";
import type { TranscriptReport } from "./transcript-report.ts";

/** The header of a run: everything known before its first event. */
export interface TranscriptRun {
  /** The id of the tool, or one made from the name of the transcript. */
  readonly id: string;
  /** The format of the transcript, such as "claude-code". */
  readonly format: string;
  /** The first request of the user. */
  readonly task?: { readonly id?: string; readonly text?: string };
  /** The run, and its tool call, that started this run. */
  readonly parent?: { readonly run: string; readonly call?: string };
  /** The tool or agent, with its version if known. */
  readonly agent?: string;
  /** The model of the first answer, if known by then. */
  readonly model?: string;
  /** Milliseconds since 1970; absent if the format has no times. */
  readonly startedAt?: number;
  /** The folder the agent worked in. */
  readonly folder?: string;
}

/** How a run ended, if the transcript says so. */
export interface TranscriptEnding {
  /** Absent if the agent finished by itself: then the gates of the run decide if it is done. */
  readonly reason?: Reason;
  /** The tool's own words for it, such as "submitted" or "exit_cost". */
  readonly status?: string;
  readonly summary?: string;
  /** The verdict of a benchmark or grader on the result. */
  readonly judged?: { readonly success: boolean; readonly by: string };
  readonly at?: number;
  /** True if the log just stops, in the middle of the work: the agent may still be running. */
  readonly open?: boolean;
}

/** One step of reading a transcript: a run starts, has an event, or ends. Runs may interleave. */
export type TranscriptItem =
  | { readonly type: "run"; readonly run: TranscriptRun }
  | { readonly type: "event"; readonly run: string; readonly event: NewEvent }
  | { readonly type: "end"; readonly run: string; readonly ending: TranscriptEnding };

/** One complete run of a transcript. */
export interface RecordedRun extends TranscriptRun {
  readonly events: readonly NewEvent[];
  readonly ending: TranscriptEnding;
}

/** A complete transcript: its runs, parents before children, and the report on its records. */
export interface Transcript {
  readonly runs: readonly RecordedRun[];
  readonly report: TranscriptReport;
}

/** Collects items into complete runs. */
export function collectRuns(items: Iterable<TranscriptItem>): readonly RecordedRun[] {
  const runs = new Map<string, { run: TranscriptRun; events: NewEvent[]; ending: TranscriptEnding }>();
  for (const item of items) {
    if (item.type === "run") runs.set(item.run.id, { run: item.run, events: [], ending: {} });
    else if (item.type === "event") runs.get(item.run)?.events.push(item.event);
    else {
      const found = runs.get(item.run);
      if (found !== undefined) found.ending = item.ending;
    }
  }
  return [...runs.values()].map(({ run, events, ending }) => ({ ...run, events, ending }));
}
