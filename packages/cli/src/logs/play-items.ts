import { createRun, type Run, type RunEvent, type RunOptions } from "@phasekit/core";
import type { TranscriptEnding, TranscriptItem, TranscriptRun } from "@phasekit/transcripts";
import type { RunStory } from "../story/run-story.ts";

/** A run of a log, told. */
export interface ToldRun<TStory = RunStory> {
  readonly about: TranscriptRun;
  readonly ending: TranscriptEnding;
  readonly story: TStory;
}

/** Makes a story of the events of one run. */
export interface StoryFold<TStory> {
  readonly add: (event: RunEvent) => void;
  readonly get: () => TStory;
}

/** How the runs of a log are decided again, and what is to be told of them. */
export interface PlayOptions<TStory = RunStory> {
  /** Made anew for every run. */
  readonly story: () => StoryFold<TStory>;
  /** The same for every run: policies keep what they remember in the run. */
  readonly runOptions: RunOptions;
  /** Decide our own runs again too, instead of telling them as they were decided. @default false */
  readonly decideAgain?: boolean;
  /** Gets every step of every run. */
  readonly onStep?: (about: TranscriptRun, step: readonly RunEvent[]) => void;
}

interface Playing<TStory> {
  readonly about: TranscriptRun;
  readonly run: Run;
  readonly story: StoryFold<TStory>;
  /** Calls that were refused now and not then: their results never happened. */
  readonly refused: Set<string>;
}

/** Plays items of a transcript through policies. Only runs that are still open are kept. */
export interface Player<TStory = RunStory> {
  /** The run that ended with this item, if one did. */
  readonly take: (item: TranscriptItem) => ToldRun<TStory> | undefined;
}

/** A player; what the agent did stands, what the policies decide is new. It never invents what the agent would have done instead. */
export function createPlayer<TStory = RunStory>({ story: createStory, runOptions, onStep }: PlayOptions<TStory>): Player<TStory> {
  const open = new Map<string, Playing<TStory>>();

  function begin(about: TranscriptRun): void {
    let latest = about.startedAt ?? 0;
    const { task, parent, id } = about;
    const run = createRun({ ...runOptions, id, clock: () => latest, ...(task !== undefined && { task }), ...(parent !== undefined && { parent }) });
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

  function end({ about, run, story }: Playing<TStory>, ending: TranscriptEnding): ToldRun<TStory> {
    open.delete(about.id);
    if (ending.at !== undefined) tickUntil(run, ending.at);
    run.end({ ...(ending.reason !== undefined && { reason: ending.reason }), ...(ending.summary !== undefined && { summary: ending.summary }) });
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
      const { fact } = item;
      if (fact.at !== undefined) tickUntil(playing.run, fact.at);
      if (fact.type !== "tool.finished" || fact.call === undefined || !playing.refused.delete(fact.call)) playing.run.record(fact);
      return undefined;
    },
  };
}

/** Plays every item through several players, which sets policies side by side while the log is read once. */
export function playTogether<TStory>(players: readonly Player<TStory>[]): Player<readonly TStory[]> {
  return {
    take: (item) => {
      const told = players.flatMap((player) => player.take(item) ?? []);
      const [first] = told;
      return first === undefined ? undefined : { ...first, story: told.map(({ story }) => story) };
    },
  };
}

/** Deadlines that passed before the next fact, each at its own time. */
function tickUntil(run: Run, at: number): void {
  for (let due = run.wakeAt; due !== undefined && due <= at; due = run.wakeAt) if (!run.tick(due)) return;
}
