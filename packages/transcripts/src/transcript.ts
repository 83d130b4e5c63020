import type { NewFact, Reason } from "@phasekit/core";
import type { TranscriptReport } from "./transcript-report.ts";

/** What a transcript says about a run before anything happens in it. */
export interface TranscriptRun {
  /** The id the tool gave it, or one made from the name of the transcript. */
  readonly id: string;
  /** The format it was read from, such as "claude-code". */
  readonly format: string;
  /** The first thing the agent was asked for. */
  readonly task?: { readonly id?: string; readonly text?: string };
  /** The run that started this one, and the tool call it did so with. */
  readonly parent?: { readonly run: string; readonly call?: string };
  /** The tool or agent, with its version when it is known. */
  readonly agent?: string;
  /** The model of the first answer, when it is known by then. */
  readonly model?: string;
  /** Milliseconds since 1970; absent when the format has no times. */
  readonly startedAt?: number;
  /** The folder the agent worked in. */
  readonly folder?: string;
}

/** How a run ended, as far as the transcript says. */
export interface TranscriptEnding {
  /** Absent when the agent came to an end by itself: then the run's own gates say whether it is done. */
  readonly reason?: Reason;
  /** The tool's own words for it, such as "submitted" or "exit_cost". */
  readonly status?: string;
  readonly summary?: string;
  /** What somebody outside the run said of its result: a benchmark, a grader. */
  readonly judged?: { readonly success: boolean; readonly by: string };
  readonly at?: number;
}

/** A piece of a transcript as it is read: a run begins, something happens in it, it ends. Runs may interleave. */
export type TranscriptItem =
  | { readonly type: "run"; readonly run: TranscriptRun }
  | { readonly type: "fact"; readonly run: string; readonly fact: NewFact }
  | { readonly type: "end"; readonly run: string; readonly ending: TranscriptEnding };

/** One run of a transcript, whole. */
export interface ReadRun extends TranscriptRun {
  readonly facts: readonly NewFact[];
  readonly ending: TranscriptEnding;
}

/** A transcript, whole: its runs, parents before the children they started, and what became of every record. */
export interface Transcript {
  readonly runs: readonly ReadRun[];
  readonly report: TranscriptReport;
}

/** Puts items together. */
export function collectRuns(items: Iterable<TranscriptItem>): readonly ReadRun[] {
  const runs = new Map<string, { run: TranscriptRun; facts: NewFact[]; ending: TranscriptEnding }>();
  for (const item of items) {
    if (item.type === "run") runs.set(item.run.id, { run: item.run, facts: [], ending: {} });
    else if (item.type === "fact") runs.get(item.run)?.facts.push(item.fact);
    else {
      const found = runs.get(item.run);
      if (found !== undefined) found.ending = item.ending;
    }
  }
  return [...runs.values()].map(({ run, facts, ending }) => ({ ...run, facts, ending }));
}
