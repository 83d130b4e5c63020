import { createStory, type RunStory, verificationOf } from "@phasekit/ledger/story";
import { codingRunOptions } from "@phasekit/coding";
import type { Mode, NewEvent } from "@phasekit/core";
import { createTranslation } from "@phasekit/transcripts";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { createPlayer } from "../src/logs/play-items.ts";
import { checkStory } from "../src/check/check-story.ts";

function storyOf(log: string, mode: Mode = "observe"): RunStory {
  const translation = createTranslation();
  const player = createPlayer({ story: createStory, runOptions: codingRunOptions({ mode }) });
  const reading = [...translation.push(log), ...translation.end()].flatMap((item) => player.take(item) ?? []);
  expect(reading).toHaveLength(1);
  return reading[0]!.story;
}

type Call = "edit" | "unknown" | "patch" | { readonly command: string; readonly output: object };

/** The story of a run of edits and commands that ends by itself. */
function tellFacts(calls: readonly Call[], options: Parameters<typeof codingRunOptions>[0] = {}): RunStory {
  const player = createPlayer({ story: createStory, runOptions: codingRunOptions({ mode: "observe", ...options }) });
  const take = (event: NewEvent): void => void player.take({ type: "event", run: "r", event });
  player.take({ type: "run", run: { id: "r", format: "test" } });
  for (const [place, call] of calls.entries()) {
    const asked =
      call === "edit"
        ? { tool: "Edit", input: { file_path: "src/sum.js", old_string: "a - b", new_string: "a + b" } }
        : call === "unknown"
          ? { tool: "frobnicate", input: { knob: place } }
          : call === "patch"
            ? { tool: "frobnicate", input: { text: "def add(a, b):\n    return a + b\n" } }
            : { tool: "Bash", input: { command: call.command } };
    take({ type: "tool.requested", call: String(place), ...asked });
    take({
      type: "tool.finished",
      call: String(place),
      tool: asked.tool,
      outcome: "ok",
      output: typeof call === "string" ? "done" : call.output,
    });
  }
  take({ type: "finish.requested", text: "Done." });
  const reading = player.take({ type: "end", run: "r", ending: {} });
  return reading!.story;
}

const none = { nudges: 0, refusals: 0, vetoes: 0, stops: 0 };

describe("createStory", () => {
  it("createStory counts commands that fail, also if the host calls them results", () => {
    expect(storyOf(sampleLogs.loop)).toMatchObject({ calls: 9, failedCalls: 8 });
    expect(storyOf(sampleLogs.talk).failedCalls).toBe(0);
  });

  it.each<{
    readonly log: keyof typeof sampleLogs;
    readonly reason: string | undefined;
    readonly verdict: string;
    readonly grade?: string;
    readonly text: string;
    readonly failed: readonly string[];
  }>([
    {
      log: "verified",
      reason: "done",
      verdict: "yes",
      grade: "supported",
      text: "3 tests passed after the last edit (node), but the runner's exit code is not known (call 4)",
      failed: [],
    },
    {
      log: "unverified",
      reason: "done_unverified",
      verdict: "no",
      grade: "claimed",
      text: "no test run seen after the last edit (src/sum.js, call 2)",
      failed: ["verified"],
    },
    {
      log: "stale",
      reason: "done_unverified",
      verdict: "no",
      grade: "claimed",
      text: "the last edit (src/sum.js, call 4) came after the last test run (call 3, node)",
      failed: ["verified"],
    },
    {
      log: "talk",
      reason: "done",
      verdict: "unneeded",
      text: "no edits seen, so nothing to test",
      failed: [],
    },
    {
      log: "clerk",
      reason: "done",
      verdict: "unknown",
      text: 'no edits seen, but 1 of 2 calls used tools Phasekit does not know ("change_seat")',
      failed: [],
    },
    {
      log: "loop",
      reason: undefined,
      verdict: "unneeded",
      text: "no edits seen",
      failed: ["finished", "no-loop"],
    },
  ])("of $log: $reason, verified $verdict", ({ log, reason, verdict, grade, text, failed }) => {
    const story = storyOf(sampleLogs[log]);
    expect(story.reason).toBe(reason);
    expect(verificationOf(story)).toEqual({ verdict, text, ...(grade !== undefined && { grade }) });
    expect(
      checkStory(story)
        .filter((result) => result.verdict === "FAIL")
        .map(({ gate }) => gate),
    ).toEqual(failed);
  });

  it.each<{ readonly then: readonly Call[]; readonly verdict: string; readonly grade?: string; readonly text: string }>(
    [
      { then: [], verdict: "no", text: "no test run seen after the last edit (src/sum.js, call 1)" },
      {
        then: [{ command: "npm run build", output: { stdout: "done", exitCode: 0 } }],
        verdict: "weak",
        grade: "weak",
        text: "No test ran after the last edit, but the build passed (call 2)",
      },
      {
        then: [{ command: "npm run build", output: { stdout: "error", exitCode: 1 } }],
        verdict: "no",
        text: "No test ran after the last edit, and the build failed (call 2)",
      },
      {
        then: [{ command: "npm run build", output: { stdout: "done", exitCode: 0 } }, "edit"],
        verdict: "no",
        grade: "claimed",
        text: "no test run seen after the last edit (src/sum.js, call 3)",
      },
      {
        then: [{ command: "npm test", output: { stdout: "Tests: 2 failed, 1 passed, 3 total", exitCode: 1 } }, "edit"],
        verdict: "no",
        text:
          "the last test run (call 2, jest) failed: 1 passed, 2 failed; " +
          "the last edit (src/sum.js, call 3) came after it",
      },
    ],
  )("verificationOf mentions checks other than tests: $text", ({ then, verdict, grade = "claimed", text }) => {
    expect(verificationOf(tellFacts(["edit", ...then]))).toEqual({ verdict, grade, text });
  });

  it("verificationOf does not take a long text given to an unknown tool for no edit", () => {
    const look: Call = { command: "ls", output: { exitCode: 0, stdout: "src" } };
    expect(verificationOf(tellFacts([look, look, look, "patch"]))).toEqual({
      verdict: "unknown",
      text: 'no edits seen, but 1 of 4 calls used tools Phasekit does not know ("frobnicate")',
    });
    expect(verificationOf(tellFacts([look, look, look, "unknown"])).verdict).toBe("unneeded");
  });

  it("verificationOf does not take a call that could not be read for no edit", () => {
    const broken = {
      name: "reading",
      interpret: () => {
        throw new TypeError("no");
      },
    };
    const look: Call = { command: "ls", output: { exitCode: 0, stdout: "src" } };
    expect(verificationOf(tellFacts([look, look], { interpret: broken }))).toEqual({
      verdict: "no",
      grade: "claimed",
      text: "no test run seen after a call that could not be read and may have changed code",
    });
    expect(verificationOf(tellFacts([look, look], { interpret: broken, without: ["tests-fresh"] }))).toEqual({
      verdict: "unknown",
      text: "no edits seen, but 2 of 2 calls could not be read",
    });
  });

  it("createStory reports a loop once, with its calls, and that the run ended in it", () => {
    const { loops, calls, wasted } = storyOf(sampleLogs.loop);
    expect(calls).toBe(9);
    expect(loops).toHaveLength(1);
    expect(loops[0]).toMatchObject({
      kind: "repeat",
      from: 2,
      to: 9,
      what: "bash node scripts/build.js",
      open: true,
    });
    expect(wasted.calls).toBeGreaterThanOrEqual(7);
  });

  it("createStory reports no loop, intervention or waste in a good run", () => {
    const { loops, interventions, wasted, phases } = storyOf(sampleLogs.verified);
    expect(loops).toEqual([]);
    expect(interventions).toEqual({ ...none, applied: none });
    expect(wasted.calls).toBe(0);
    expect(phases.map(({ phase }) => phase)).toEqual(["exploring", "acting", "verifying"]);
    expect(phases.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });

  it("createStory counts decisions of a stricter mode; with `applied`, only applied ones", () => {
    const words = (count: "applied" | "decided") => {
      const translation = createTranslation();
      const player = createPlayer({
        story: () => createStory({ count }),
        runOptions: codingRunOptions({ mode: "observe" }),
      });
      return [...translation.push(sampleLogs.loop), ...translation.end()].flatMap((item) => player.take(item) ?? [])[0]
        ?.story.interventions;
    };
    expect(words("decided")?.first).toMatchObject({ what: "nudge", by: "escalation" });
    expect(words("applied")).toEqual({ ...none, applied: none });
  });

  it("createStory omits tokens if the log has none", () => {
    const { tokens, loops } = storyOf(sampleLogs.loop);
    expect(tokens).toBeUndefined();
    expect(loops[0]?.tokens).toBeUndefined();
  });
});

describe("checkStory", () => {
  const story = storyOf(sampleLogs.loop);

  it.each([
    { options: { without: ["finished", "verified", "no-loop"] }, failed: [], waived: [] },
    { options: { waived: ["no-loop"] }, failed: ["finished"], waived: ["no-loop"] },
    { options: { maxWastedCalls: 100 }, failed: ["finished", "no-loop"], waived: [] },
    { options: { maxWastedCalls: 0 }, failed: ["finished", "no-loop", "max-wasted"], waived: [] },
    { options: { maxTurns: 9 }, failed: ["finished", "no-loop"], waived: [] },
    { options: { maxTurns: 8 }, failed: ["finished", "no-loop", "max-turns"], waived: [] },
  ])("$options", ({ options, failed, waived }) => {
    const results = checkStory(story, options);
    expect(results.filter(({ verdict }) => verdict === "FAIL").map(({ gate }) => gate)).toEqual(failed);
    expect(results.filter(({ verdict }) => verdict === "WAIVED").map(({ gate }) => gate)).toEqual(waived);
  });

  it("checkStory does not fail on missing data", () => {
    expect(checkStory(story, { maxTokens: 1 }).find(({ gate }) => gate === "max-tokens")?.verdict).toBe("UNKNOWN");
  });
});

describe("checkStory with `evidence`", () => {
  const tests = (command: string): Call => ({
    command,
    output: { exitCode: 0, stdout: "Tests:       3 passed, 3 total" },
  });
  const verdictOf = (story: RunStory, evidence?: "proven" | "supported") =>
    checkStory(story, { evidence }).find(({ gate }) => gate === "verified");

  it.each<{
    readonly grade: string;
    readonly calls: readonly Call[];
    readonly none: string;
    readonly supported: string;
    readonly proven: string;
  }>([
    { grade: "proven", calls: ["edit", tests("npx jest")], none: "PASS", supported: "PASS", proven: "PASS" },
    { grade: "supported", calls: ["edit", tests("npx jest | tail")], none: "PASS", supported: "PASS", proven: "FAIL" },
    { grade: "claimed", calls: [tests("npx jest"), "edit"], none: "FAIL", supported: "FAIL", proven: "FAIL" },
    { grade: "not needed", calls: [], none: "PASS", supported: "PASS", proven: "PASS" },
  ])("$grade evidence: $none without it, $supported with supported, $proven with proven", (row) => {
    const story = tellFacts(row.calls);
    expect([verdictOf(story), verdictOf(story, "supported"), verdictOf(story, "proven")]).toMatchObject(
      [row.none, row.supported, row.proven].map((verdict) => ({
        verdict,
        text: expect.stringMatching(`^(?:yes, |no, )?${row.grade}: `) as string,
      })),
    );
  });

  it("unknown evidence fails only if a grade is required", () => {
    const story = tellFacts(["unknown", "unknown"]);
    expect([verdictOf(story)?.verdict, verdictOf(story, "supported")?.verdict]).toEqual(["UNKNOWN", "FAIL"]);
  });
});
