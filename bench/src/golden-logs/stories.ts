import type { RunOptions, RunPort } from "@phasekit/core";
import type { StoredRun, ResumedRun } from "@phasekit/ledger";
import { claimStory } from "./claim-story.ts";
import { codingStories } from "./coding-stories.ts";
import { conversationStory } from "./conversation-story.ts";
import { coreStories } from "./core-stories.ts";

/** The parts of a story that must be the same each time it is played. */
export interface StoryTools {
  readonly clock: () => number;
  readonly createId: () => string;
  /** Stores a run under its id, and lists it among the golden ones. */
  readonly store: (run: RunPort) => StoredRun;
  /** Opens the next attempt of a stored run. */
  readonly resume: <const TPhase extends string>(
    id: string,
    options: RunOptions<TPhase>,
  ) => Promise<ResumedRun<TPhase>>;
}

/** A run, or a run and its children, that is worth keeping as a stored log. */
export interface GoldenStory {
  readonly name: string;
  readonly play: (tools: StoryTools) => Promise<void>;
}

export const goldenStories: readonly GoldenStory[] = [...codingStories, ...coreStories, claimStory, conversationStory];
