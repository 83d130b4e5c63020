import { codingRun, codingRunOptions } from "@phasekit/coding";
import { type NewEvent, playRun, type Run, type RunEvent } from "@phasekit/core";
import { readRun, summarizeRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { explainRun, storyOf, verificationOf, words } from "@phasekit/ledger/story";
import { overviewOf, overviewToMarkdown } from "@phasekit/report";
import { depth } from "@phasekit/tooling/test-depth";
import { parseTranscript } from "@phasekit/transcripts";
import fc from "fast-check";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { checkStory } from "../src/check/check-story.ts";
import { createShortStory } from "../src/story/simulation.ts";
import { createWatchedRun } from "../src/watch/watched-run.ts";
import { hardCalls } from "./__fixtures__/hard-calls.ts";
import { emptyHome, phasekitHere } from "./run-cli.ts";

/** Asserts that every number and word that two outputs about a log share is the same in all of them. */
function expectOneAccount(events: readonly RunEvent[]): void {
  const story = storyOf(events);
  const summary = summarizeRun(events);
  const overview = overviewOf(events);
  const { line, spend, timeline } = overview;
  const watched = createWatchedRun({ id: story.run, format: "phasekit" });
  watched.add(events, { id: story.run, format: "phasekit" });
  const short = createShortStory({ counted: () => true });
  for (const event of events) short.add(event);
  const explained = explainRun(events);
  const verification = verificationOf(story);

  expect(watched.get().story).toEqual(story);
  expect(overview.story).toEqual(story);
  const records = (read: (record: (typeof summary.phases)[number]) => number): number =>
    summary.phases.reduce((all, entry) => all + read(entry), 0);
  const rows = (read: (row: (typeof spend.rows)[number]) => number | undefined): number =>
    spend.rows.reduce((all, row) => all + (read(row) ?? 0), 0);
  const slices = (name: "calls" | "errors" | "tokens"): number =>
    timeline.slices.reduce((all, slice) => all + slice[name], 0);
  const said = (pattern: RegExp): number => Number(pattern.exec(explained)?.[1]?.replaceAll(",", "") ?? 0);
  const { calls, failedCalls, turns, wasted, elapsedMs, tokens, usage, phase, reason, state } = story;
  const all = <T>(value: T, count: number): readonly T[] => Array.from({ length: count }, () => value);
  const shared = {
    calls: [
      records(({ aggregates }) => aggregates.total.metric.toolCalls),
      ...[line.calls, spend.total.calls, rows((row) => row.calls), slices("calls"), short.get().calls],
      said(/, ([\d,]+) tool calls?/),
    ],
    failed: [
      records(({ aggregates }) => aggregates.total.metric.toolErrors),
      ...[spend.total.failedCalls, rows((row) => row.failedCalls), slices("errors")],
      said(/ tool calls?, ([\d,]+) failed/),
    ],
    turns: [records(({ aggregates }) => aggregates.total.metric.turns), spend.total.turns, rows((row) => row.turns)],
    wasted: [
      ...[records((record) => record.wasted?.calls ?? 0), line.wastedCalls, rows((row) => row.wastedCalls)],
      said(/ ([\d,]+) brought nothing new/),
    ],
    elapsed: [summary.elapsed, line.elapsed, rows((row) => row.elapsedMs)],
    tokens: [line.tokens, short.get().tokens, spend.total.tokens],
    inputTokens: [spend.total.inputTokens ?? 0, rows((row) => row.inputTokens)],
    cost: [(line.cost ?? 0).toFixed(9), rows((row) => row.cost).toFixed(9)],
    interventions: [
      short.get().interventions.nudges,
      overview.nudges.filter(({ effect }) => effect !== "guidance").length,
    ],
    vetoes: [short.get().interventions.vetoes, timeline.marks.filter(({ kind }) => kind === "veto").length],
    loops: [line.loops],
    phase: [summary.phase, overview.phase],
    reason: [summary.reason, line.reason],
    state: [summary.state, line.state],
    grade: [line.grade],
    word: [line.word, words.endingOf(story).word],
  };
  expect(shared).toEqual({
    calls: all(calls, 7),
    failed: all(failedCalls, 5),
    turns: all(turns, 3),
    wasted: all(wasted.calls, 4),
    elapsed: all(elapsedMs, 3),
    tokens: all(tokens, 3),
    inputTokens: all(usage.inputTokens ?? 0, 2),
    cost: all((usage.cost ?? 0).toFixed(9), 2),
    interventions: all(story.interventions.nudges, 2),
    vetoes: all(story.interventions.vetoes, 2),
    loops: all(story.loops.length, 1),
    phase: all(phase, 2),
    reason: all(reason, 2),
    state: all(state, 2),
    grade: all(verification.grade, 1),
    word: all(words.endingOf(story).word, 2),
  });
  // A slice has all tokens of its answers, as the story has.
  expect(slices("tokens")).toBe(tokens ?? 0);

  // The words come from the same place too; a text that quotes changes its quotation marks.
  const plain = (text: string): string =>
    text
      .replaceAll(/["'\\]/g, "")
      .replaceAll(/\s+/g, " ")
      .toLowerCase();
  expect(plain(explained)).toContain(plain(verification.text).slice(0, 60).trim());
  expect(plain(checkStory(story).find(({ gate }) => gate === "verified")?.text ?? "")).toContain(
    plain(verification.text.replace(/\.$/, "")),
  );
  for (const loop of story.loops) expect(plain(explained)).toContain(plain(words.loopText(loop)).slice(0, 60).trim());
  expect(overviewToMarkdown(overview)).toContain(line.word.slice(0, 4));
}

type Step =
  | { readonly do: "call"; readonly which: number; readonly times: number }
  | { readonly do: "answer"; readonly input?: number; readonly output: number; readonly cost?: number }
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "child"; readonly tokens: number }
  | { readonly do: "move"; readonly to: "exploring" | "planning" | "acting" | "verifying" }
  | { readonly do: "lost" | "finish" };

const tokenCount = fc.nat(50_000);
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
      { do: fc.constant("answer" as const), input: tokenCount, output: tokenCount, cost: fc.constantFrom(0.01, 0.25) },
      { requiredKeys: ["do", "output"] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("say" as const), text: fc.lorem() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("child" as const), tokens: tokenCount }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("move" as const),
      to: fc.constantFrom("exploring" as const, "planning" as const, "acting" as const, "verifying" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("lost" as const, "finish" as const) }) },
);

/** A run of an agent that makes hard calls, repeats some, starts sub-agents, and asks to finish now and then. */
const history = fc.record({
  mode: fc.constantFrom("observe" as const, "nudge" as const, "gate" as const),
  steps: fc.array(step, { minLength: 1, maxLength: 25 }),
  ends: fc.boolean(),
});

function record(run: Run, given: Step): void {
  const take = (event: NewEvent): boolean => run.record(event);
  switch (given.do) {
    case "say":
      take({ type: "message.sent", text: given.text });
      return;
    case "finish":
      run.beforeFinish({ text: "All done." });
      return;
    case "move":
      run.transition(given.to);
      return;
    case "lost":
      // A call whose result never comes.
      run.beforeTool({ tool: "Read", input: { file_path: "a.ts" } });
      return;
    case "child": {
      const child = run.child();
      child.record({ type: "model.answered", usage: { inputTokens: given.tokens, outputTokens: 1 } });
      child.end();
      return;
    }
    case "answer": {
      const { input, output, cost } = given;
      run.beforeTurn();
      take({
        type: "model.answered",
        usage: {
          outputTokens: output,
          ...(input !== undefined && { inputTokens: input }),
          ...(cost !== undefined && { cost }),
        },
      });
      return;
    }
    case "call": {
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
}

const GOLDEN = join(import.meta.dirname, "../../ledger/test/golden");
/** The runs of every stored format. */
const golden = readdirSync(GOLDEN).flatMap((version) =>
  readdirSync(join(GOLDEN, version), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ version, id: name })),
);

/** Sessions of real agents. They are not part of the repository. */
const SESSIONS = process.env["PHASEKIT_DATA"] ?? join(import.meta.dirname, "../../../../shared/data");
const sessionFolder = [join(SESSIONS, "sessions"), SESSIONS].find((folder) => existsSync(folder));
const sessions =
  sessionFolder === undefined
    ? []
    : readdirSync(sessionFolder)
        .filter((name) => /\.jsonl(?:\.gz)?$/.test(name))
        .slice(0, depth({ quick: 3, full: 20, long: 200 }));
if (sessions.length === 0)
  console.info("one-account: no sessions of real agents here; PHASEKIT_DATA names their folder");

describe("one account of a run", () => {
  it("every number that two outputs share is equal, on 300 made runs", () => {
    fc.assert(
      fc.property(history, ({ mode, steps, ends }) => {
        let now = 1_000;
        const events: RunEvent[] = [];
        const run = codingRun({ id: "r", mode, clock: () => (now += 250) }) as unknown as Run;
        run.subscribe((part) => void events.push(...part));
        for (const each of steps) record(run, each);
        if (ends) run.end();
        expectOneAccount(events);
      }),
      { numRuns: depth({ quick: 300, full: 2000, long: 20_000 }), seed: 20_261_118 },
    );
  });

  it.each(golden)("… and on the stored run $id of $version", async ({ version, id }) => {
    expectOneAccount(await readRun(createFileStore(join(GOLDEN, version)), id));
  });

  it.skipIf(sessions.length === 0).each(sessions.map((name) => ({ name })))(
    "… and on the session $name",
    ({ name }) => {
      const bytes = readFileSync(join(sessionFolder ?? "", name));
      const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
      for (const run of parseTranscript(text).runs) {
        const events: RunEvent[] = [];
        playRun(run, { ...codingRunOptions({ mode: "observe" }), subscribe: (part) => void events.push(...part) });
        expectOneAccount(events);
      }
    },
    60_000,
  );

  it("why --json, runs --json and check --json tell the same story", async () => {
    for (const [name, text] of Object.entries(sampleLogs)) {
      const path = join(emptyHome(), `${name}.json`);
      writeFileSync(path, text);
      const ask = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
        JSON.parse((await phasekitHere([...args, path, "--json"])).out) as Record<string, unknown>;
      const { v, about, end, verification, story, cost } = await ask("why");
      expect([v, await ask("runs")]).toMatchObject([2, { runs: [{ about, end, verification, story, cost }] }]);
      expect(await ask("check"), name).toMatchObject({ about, end, verification, story });
      expect(await ask("diff", path)).toMatchObject({ a: { verification, story }, b: { verification, story } });
    }
  });
});
