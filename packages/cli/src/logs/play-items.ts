import type { RunStory } from "@phasekit/ledger/story";
import type { EventOf, RunEvent, RunOptions } from "@phasekit/core";
import { changedBy } from "@phasekit/core/account";
import { openPlay, type RunPlay, setBounded } from "@phasekit/core/adapter";
import type { TranscriptEnding, TranscriptItem, TranscriptRun } from "@phasekit/transcripts";

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
  readonly play: RunPlay;
  readonly story: StoryFold<TStory>;
}

type ChildWork = Partial<Pick<EventOf<"child.finished">, "changed" | "verified">>;

const MAX_ENDED = 1000;

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
  const ended = new Map<string, ChildWork>();

  function begin(about: TranscriptRun): void {
    const story = createStory();
    const play = openPlay(about, {
      ...runOptions,
      subscribe: (step) => {
        for (const event of step) story.add(event);
        onStep?.(about, step);
      },
    });
    open.set(about.id, { about, play, story });
  }

  /** The work of a sub-agent, whose end its parent hears of before or after its log has it. */
  function workOf(child: string): ChildWork {
    const running = open.get(child);
    return ended.get(child) ?? (running === undefined ? {} : childWork(running.play));
  }

  return {
    take: (item) => {
      if (item.type === "run") {
        begin(item.run);
        return undefined;
      }
      const found = open.get(item.run);
      if (found === undefined) return undefined;
      const { about, play, story } = found;
      if (item.type === "event") {
        play.take(item.event.type === "child.finished" ? { ...workOf(item.event.child), ...item.event } : item.event);
        return undefined;
      }
      open.delete(about.id);
      // A log that just stops says nothing about the end of its run.
      if (item.ending.open !== true) play.end(item.ending);
      else if (item.ending.at !== undefined) play.passTime(item.ending.at);
      if (about.parent !== undefined) setBounded(ended, [about.id, childWork(play)], MAX_ENDED);
      return { about, ending: item.ending, story: story.get() };
    },
  };
}

function childWork({ run: { view, outcome } }: RunPlay): ChildWork {
  const changed = changedBy(view);
  return {
    ...(changed !== undefined && { changed }),
    ...(outcome !== undefined && { verified: outcome.verified }),
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
