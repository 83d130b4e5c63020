import { codingRunOptions } from "@phasekit/coding";
import type { RunEvent } from "@phasekit/core";
import { openPlay } from "@phasekit/core/adapter";
import { type RunStory, storyOf, verificationOf } from "@phasekit/ledger/story";
import { parseTranscript, type RecordedRun } from "@phasekit/transcripts";
import { type OtlpOptions, otlpRequests } from "../src/index.ts";

const options = codingRunOptions({ mode: "observe" });

/** Plays a recorded run as the command line does, and returns its log. */
export function play(recorded: RecordedRun): readonly RunEvent[] {
  const log: RunEvent[] = [];
  const run = openPlay(recorded, { ...(options as object), subscribe: (step) => log.push(...step) });
  for (const event of recorded.events) run.take(event);
  const { ending } = recorded;
  if (ending.open !== true) run.end(ending);
  else if (ending.at !== undefined) run.passTime(ending.at);
  return log;
}

/** Exports a log, and reads the lines a collector would have written. */
export function sendAndRead(log: readonly RunEvent[], given: OtlpOptions = {}): readonly RecordedRun[] {
  const lines = [...otlpRequests(log, given)].map(({ body }) => body);
  const { runs, report } = parseTranscript(lines.join("\n"));
  if (report.format !== "otlp" || Object.keys({ ...report.unknown, ...report.broken }).length > 0)
    throw new Error(`Not read: ${JSON.stringify(report)}`);
  return runs;
}

/** What must be the same after a round trip. */
export function answers(log: readonly RunEvent[]): object {
  const story: RunStory = storyOf(log);
  const { verdict, grade } = verificationOf(story);
  return {
    run: story.run,
    reason: story.reason,
    state: story.state,
    verified: story.verified,
    verdict,
    grade,
    turns: story.turns,
    calls: story.calls,
    failedCalls: story.failedCalls,
    tokens: story.tokens,
    cost: story.usage.cost,
    elapsedMs: story.elapsedMs,
    phases: story.phases.map(({ phase, entries, calls, failedCalls, turns }) => ({
      phase,
      entries,
      calls,
      failedCalls,
      turns,
    })),
    files: story.work.files,
    edits: story.work.edits,
    testRuns: story.work.testRuns,
    delivery: story.delivery,
    loops: story.loops.map(({ kind, from, to, count }) => ({ kind, from, to, count })),
    wasted: story.wasted.calls,
  };
}
