import { codingRun } from "@phasekit/coding";
import type { NewEvent, Run, RunEvent } from "@phasekit/core";
import { summarizeRun } from "@phasekit/ledger";
import { explainRun, storyOf, verificationOf } from "@phasekit/ledger/story";
import { overviewOf } from "@phasekit/report";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkStory } from "../src/story/check-story.ts";
import { createWatchedRun } from "../src/watch/watched-run.ts";
import { hardCalls } from "./__fixtures__/hard-calls.ts";

type Step =
  | { readonly do: "call"; readonly which: number; readonly times: number }
  | { readonly do: "answer"; readonly input?: number; readonly output: number }
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "finish" };

const tokens = fc.nat(50_000);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("call" as const),
      which: fc.nat(999),
      times: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      { do: fc.constant("answer" as const), input: tokens, output: tokens },
      { requiredKeys: ["do", "output"] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("say" as const), text: fc.lorem() }) },
  { weight: 1, arbitrary: fc.constant({ do: "finish" as const }) },
);

/** A run of an agent that makes hard calls, repeats some, and asks to finish now and then. */
const history = fc.record({
  mode: fc.constantFrom("observe" as const, "nudge" as const, "gate" as const),
  steps: fc.array(step, { minLength: 1, maxLength: 25 }),
  ends: fc.boolean(),
});

function record(run: Run<never> | Run, given: Step): void {
  const take = (event: NewEvent): boolean => run.record(event);
  if (given.do === "say") take({ type: "message.sent", text: given.text });
  else if (given.do === "finish") run.beforeFinish({ text: "All done." });
  else if (given.do === "answer") {
    const { input, output } = given;
    run.beforeTurn();
    take({
      type: "model.answered",
      usage: { outputTokens: output, ...(input !== undefined && { inputTokens: input }) },
    });
  } else {
    const call = hardCalls[given.which % hardCalls.length];
    if (call === undefined) return;
    const { tool, input, outcome = "ok", exitCode, output } = call;
    for (let n = 0; n < given.times; n += 1) {
      const answer = run.beforeTool({ tool, input });
      if (!answer.allow) continue;
      const result = { outcome, output, ...(exitCode !== undefined && { exitCode }) };
      take({ type: "tool.finished", call: answer.call, tool, ...result });
    }
  }
}

describe("one account of a run", () => {
  it("every number that two outputs share is equal, on 300 runs", () => {
    fc.assert(
      fc.property(history, ({ mode, steps, ends }) => {
        let now = 1_000;
        const events: RunEvent[] = [];
        const run = codingRun({ id: "r", mode, clock: () => (now += 250) });
        run.subscribe((part) => void events.push(...part));
        for (const each of steps) record(run, each);
        if (ends) run.end();

        const story = storyOf(events);
        const summary = summarizeRun(events);
        const overview = overviewOf(events);
        const watched = createWatchedRun({ id: "r", format: "phasekit" });
        watched.add(events, { id: "r", format: "phasekit" });
        const sum = (of: (record: (typeof summary.phases)[number]) => number): number =>
          summary.phases.reduce((all, entry) => all + of(entry), 0);

        expect(watched.get().story).toEqual(story);
        expect(overview.story).toEqual(story);
        const { line, spend } = overview;
        expect({
          calls: [sum(({ aggregates }) => aggregates.total.metric.toolCalls), line.calls, spend.total.calls],
          failed: [sum(({ aggregates }) => aggregates.total.metric.toolErrors), spend.total.errors],
          turns: [sum(({ aggregates }) => aggregates.total.metric.turns), spend.total.turns],
          wasted: [sum(({ wasted }) => wasted?.calls ?? 0), line.wastedCalls],
          tokens: [line.tokens],
          loops: [line.loops],
          elapsed: [summary.elapsed, line.elapsed],
          phase: [summary.phase, overview.phase, run.view.phase],
          reason: [summary.reason, line.reason, run.outcome?.reason],
          grade: [summary.evidence?.grade, line.grade?.replace(" ", "-"), run.outcome?.evidence.grade],
          verified: [summary.verified ?? false, line.verified],
        }).toEqual({
          calls: [story.calls, story.calls, story.calls],
          failed: [story.failedCalls, story.failedCalls],
          turns: [story.turns, story.turns],
          wasted: [story.wasted.calls, story.wasted.calls],
          tokens: [story.tokens],
          loops: [story.loops.length],
          elapsed: [story.elapsedMs, story.elapsedMs],
          phase: [story.phase, story.phase, story.phase],
          reason: [story.reason, story.reason, story.reason],
          grade: [story.evidence?.grade, story.evidence?.grade, story.evidence?.grade],
          verified: [story.verified ?? false, story.verified ?? false],
        });
        // The words come from the same place too.
        const { text } = verificationOf(story);
        expect(explainRun(events).replaceAll("'", '"')).toContain(text.slice(0, 60).replaceAll("'", '"').trim());
        expect(checkStory(story).find(({ gate }) => gate === "verified")?.text).toContain(text);
      }),
      { numRuns: 300, seed: 20_261_118 },
    );
  });
});
