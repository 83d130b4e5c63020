import { createRun, type Run, type RunOptions } from "@phasekit/core";
import { known } from "./loose-json.ts";
import type { ReadRun, TranscriptItem, TranscriptRun } from "./transcript.ts";

/** Plays items of a transcript into runs as they come. */
export interface RunPlayer {
  readonly take: (item: TranscriptItem) => void;
}

/**
 * A player that makes a run for every run of a transcript, with the options you give for it. It keeps only the runs
 * that are open; subscribe to a run in `started` to see its events, and look at it in `ended`.
 */
export function createRunPlayer<TPhase extends string = string>({ options = () => ({}), started, ended }: {
  /** What each run is made with: a graph, policies, interpreters. @default nothing */
  readonly options?: (run: TranscriptRun) => RunOptions<TPhase>;
  readonly started?: (run: Run<TPhase>, from: TranscriptRun) => void;
  readonly ended?: (run: Run<TPhase>, from: TranscriptRun) => void;
}): RunPlayer {
  const open = new Map<string, { readonly run: Run<TPhase>; readonly from: TranscriptRun }>();
  return {
    take: (item) => {
      if (item.type === "run") {
        const run = openRun(item.run, options(item.run));
        open.set(item.run.id, { run, from: item.run });
        started?.(run, item.run);
        return;
      }
      const found = open.get(item.run);
      if (found === undefined) return;
      if (item.type === "fact") found.run.record(item.fact);
      else {
        found.run.end(known({ reason: item.ending.reason, summary: item.ending.summary }));
        open.delete(item.run);
        ended?.(found.run, found.from);
      }
    },
  };
}

/**
 * A run that went through everything a transcript tells, and ended as it says.
 *
 * @example
 * const { outcome } = transcriptToRun(runs[0], codingRunOptions({ mode: "observe" }));
 */
export function transcriptToRun<const TPhase extends string = "working">(read: ReadRun, options: RunOptions<TPhase> & { readonly subscribe?: Parameters<Run["subscribe"]>[0] } = {}): Run<TPhase> {
  const { subscribe, ...runOptions } = options;
  const { facts, ending, ...from } = read;
  const run = openRun(from, runOptions as RunOptions<TPhase>);
  if (subscribe !== undefined) run.subscribe(subscribe);
  for (const fact of facts) run.record(fact);
  run.end(known({ reason: ending.reason, summary: ending.summary }));
  return run;
}

/** Time in a run that was read stands still between its facts: formats without times have none. */
function openRun<TPhase extends string>({ id, task, parent, startedAt = 0 }: TranscriptRun, options: RunOptions<TPhase>): Run<TPhase> {
  return createRun<TPhase>({ id, clock: () => startedAt, ...known({ task, parent }), ...options });
}
