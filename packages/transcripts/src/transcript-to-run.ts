import { createRun, type Run, type RunOptions } from "@phasekit/core";
import { known } from "./loose-json.ts";
import type { RecordedRun, TranscriptItem, TranscriptRun } from "./transcript.ts";

/** Replays the items of a transcript into runs. */
export interface RunPlayer {
  readonly take: (item: TranscriptItem) => void;
}

/**
 * Returns a player that creates a run for every run of a transcript, with your options. It keeps only open runs:
 * subscribe to the events of a run in `started`, and read its outcome in `ended`.
 */
export function createRunPlayer<TPhase extends string = string>({
  options = () => ({}),
  started,
  ended,
}: {
  /** Options of each run: a graph, policies, interpreters. @default none */
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
      if (item.type === "event") found.run.record(item.event);
      else {
        found.run.end(known({ reason: item.ending.reason, summary: item.ending.summary }));
        open.delete(item.run);
        ended?.(found.run, found.from);
      }
    },
  };
}

/**
 * Creates a run, replays all events of a recorded run into it, and ends it the same way.
 *
 * @example
 * const { outcome } = transcriptToRun(runs[0], codingRunOptions({ mode: "observe" }));
 */
export function transcriptToRun<const TPhase extends string = "working">(
  read: RecordedRun,
  options: RunOptions<TPhase> & { readonly subscribe?: Parameters<Run["subscribe"]>[0] } = {},
): Run<TPhase> {
  const { subscribe, ...runOptions } = options;
  const { events, ending, ...from } = read;
  const run = openRun(from, runOptions as RunOptions<TPhase>);
  if (subscribe !== undefined) run.subscribe(subscribe);
  for (const event of events) run.record(event);
  run.end(known({ reason: ending.reason, summary: ending.summary }));
  return run;
}

/** The clock of a replayed run only moves with its events: some formats have no times. */
function openRun<TPhase extends string>(
  { id, task, parent, startedAt = 0 }: TranscriptRun,
  options: RunOptions<TPhase>,
): Run<TPhase> {
  return createRun<TPhase>({ id, clock: () => startedAt, ...known({ task, parent }), ...options });
}
