import { codingRunOptions } from "@phasekit/coding";
import { playRun } from "@phasekit/core";
import type { Mode, RunEvent } from "@phasekit/core";
import { readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { type RunStory, storyOf, verificationOf } from "@phasekit/ledger/story";
import { parseTranscript } from "@phasekit/transcripts";
import { join } from "node:path";
import type { CanaryAgent, Scene } from "../canary-agents.ts";
import { newestLog } from "../newest-log.ts";

/** The short story of a run for the table. */
export interface ToldStory {
  readonly calls: number;
  readonly failed: number;
  readonly tokens: number | undefined;
  readonly reason: string;
  readonly verdict: string;
}

const toldBy = (story: RunStory): ToldStory => ({
  calls: story.calls,
  failed: story.failedCalls,
  tokens: story.tokens,
  reason: story.reason ?? "not yet",
  verdict: verificationOf(story).grade ?? verificationOf(story).verdict,
});

/** The newest live session, and how many runs it has below it. */
export async function liveStory({ home }: Scene): Promise<{ readonly told: ToldStory; readonly vetoes: number }> {
  const store = createFileStore(join(home, ".phasekit", "runs"));
  const [newest] = (await store.list({ limit: 10 })).filter(({ parent }) => parent === undefined);
  const events = newest === undefined ? [] : await readRun(store, newest.run);
  await store.close();
  const story = storyOf(events);
  return { told: toldBy(story), vetoes: story.interventions.applied.vetoes };
}

/** The same session in the agent's own log, read as `phasekit why` reads it; undefined if there is none. */
export function loggedStory({ logFolder }: CanaryAgent, { home }: Scene, mode: Mode): ToldStory | undefined {
  const text = logFolder === undefined ? undefined : newestLog(join(home, logFolder));
  const [run] = text === undefined ? [] : parseTranscript(text).runs;
  if (run === undefined) return undefined;
  const events: RunEvent[] = [];
  playRun(run, { ...codingRunOptions({ mode }), subscribe: (step) => events.push(...step) });
  return toldBy(storyOf(events));
}

/** Names the members in which two stories differ; "equal" if none does. */
export function differences(live: ToldStory, log: ToldStory | undefined): string {
  if (log === undefined) return "no log";
  const names = Object.keys(live) as (keyof ToldStory)[];
  const differing = names.filter((name) => live[name] !== log[name]);
  return differing.length === 0
    ? "equal"
    : differing.map((name) => `${name} ${String(live[name])} / ${String(log[name])}`).join(", ");
}
