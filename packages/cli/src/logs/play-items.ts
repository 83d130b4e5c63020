import { createRun, type Run, type RunEvent, type RunOptions } from "@phasekit/core";
import type { TranscriptEnding, TranscriptItem, TranscriptRun } from "@phasekit/transcripts";
import type { RunStory } from "../story/run-story.ts";

/** A run read from a log. */
export interface RunReading<TStory = RunStory> {
  readonly about: TranscriptRun;
  readonly ending: TranscriptEnding;
  readonly story: TStory;
}

/** Folds the events of one run into a story. */
export interface StoryFold<TStory> {
  readonly add: (event: RunEvent) => void;
  readonly get: () => TStory;
}

/** Options for `createPlayer()`. */
export interface PlayOptions<TStory = RunStory> {
  /** Creates a fold for each run. */
  readonly story: () => StoryFold<TStory>;
  /** Shared by all runs: policies keep their state in the run. */
  readonly runOptions: RunOptions;
  /** Decide own runs again instead of reading their recorded decisions. @default false */
  readonly decideAgain?: boolean;
  /** Called with the number of bytes of each chunk of a log. */
  readonly onRead?: (bytes: number) => void;
  /** Called with every step of every run. */
  readonly onStep?: (about: TranscriptRun, step: readonly RunEvent[]) => void;
}

interface OpenRun<TStory> {
  readonly about: TranscriptRun;
  readonly run: Run;
  readonly story: StoryFold<TStory>;
  /** Calls refused now but not in the log: their results are dropped. */
  readonly refused: Set<string>;
}

/** Plays transcript items through policies. Keeps only open runs in memory. */
export interface Player<TStory = RunStory> {
  /** Returns the run that ended with this item, if any. */
  readonly take: (item: TranscriptItem) => RunReading<TStory> | undefined;
}

/** Creates a player: keeps the recorded actions of the agent and decides anew. It never invents other actions. */
export function createPlayer<TStory = RunStory>({
  story: createStory,
  runOptions,
  onStep,
}: PlayOptions<TStory>): Player<TStory> {
  const open = new Map<string, OpenRun<TStory>>();

  function begin(about: TranscriptRun): void {
    let latest = about.startedAt ?? 0;
    const { task, parent, id } = about;
    const run = createRun({
      ...runOptions,
      id,
      clock: () => latest,
      ...(task !== undefined && { task }),
      ...(parent !== undefined && { parent }),
    });
    const story = createStory();
    const refused = new Set<string>();
    run.subscribe((step) => {
      latest = step[0]?.at ?? latest;
      for (const event of step) {
        story.add(event);
        if (event.type === "tool.refused" && event.applied && event.call !== undefined) refused.add(event.call);
      }
      onStep?.(about, step);
    });
    open.set(id, { about, run, story, refused });
  }

  function end({ about, run, story }: OpenRun<TStory>, ending: TranscriptEnding): RunReading<TStory> {
    open.delete(about.id);
    if (ending.at !== undefined) tickUntil(run, ending.at);
    run.end({
      ...(ending.reason !== undefined && { reason: ending.reason }),
      ...(ending.summary !== undefined && { summary: ending.summary }),
    });
    return { about, ending, story: story.get() };
  }

  return {
    take: (item) => {
      if (item.type === "run") {
        begin(item.run);
        return undefined;
      }
      const playing = open.get(item.run);
      if (playing === undefined) return undefined;
      if (item.type === "end") return end(playing, item.ending);
      const { event } = item;
      if (event.at !== undefined) tickUntil(playing.run, event.at);
      if (event.type !== "tool.finished" || event.call === undefined || !playing.refused.delete(event.call))
        playing.run.record(event);
      return undefined;
    },
  };
}

/** Plays every item through several players, so that a log is read once to compare policies. */
export function playTogether<TStory>(players: readonly Player<TStory>[]): Player<readonly TStory[]> {
  return {
    take: (item) => {
      const reading = players.flatMap((player) => player.take(item) ?? []);
      const [first] = reading;
      return first === undefined ? undefined : { ...first, story: reading.map(({ story }) => story) };
    },
  };
}

/** Ticks every deadline before the next event, each at its own time. */
function tickUntil(run: Run, at: number): void {
  for (let due = run.wakeAt; due !== undefined && due <= at; due = run.wakeAt) if (!run.tick(due)) return;
}
