import { codingRun } from "@phasekit/coding";
import { type Mode, playRun, type Run, type RunEvent } from "@phasekit/core";
import { createFileStore } from "@phasekit/ledger/node";
import { storeRun } from "@phasekit/ledger";
import { explainRun, storyOf, words } from "@phasekit/ledger/story";
import { overviewOf } from "@phasekit/report";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chatLog } from "../src/__fixtures__/sample-logs.ts";
import { createClaudeSession } from "./claude-session.ts";
import { emptyHome, phasekitHere } from "./run-cli.ts";

// Every row is a sentence of an earlier version that was not true.

interface Shell {
  readonly command: string;
  readonly output?: string;
  readonly exitCode?: number;
}

function play(
  calls: readonly Shell[],
  { mode = "observe", says }: { mode?: Mode; says?: string } = {},
): {
  readonly events: readonly RunEvent[];
  readonly run: Run;
} {
  let now = 1000;
  const events: RunEvent[] = [];
  const run = codingRun({ id: "r", mode, clock: () => (now += 1000) }) as unknown as Run;
  run.subscribe((step) => void events.push(...step));
  for (const { command, output = "", exitCode = 0 } of calls) {
    run.beforeTurn();
    const answer = run.beforeTool({ tool: "Bash", input: { command } });
    if (!answer.allow) continue;
    const outcome = exitCode === 0 ? "ok" : "error";
    run.record({ type: "tool.finished", call: answer.call, tool: "Bash", outcome, output, exitCode });
  }
  if (says !== undefined) run.beforeFinish({ text: says });
  run.end();
  return { events, run };
}

const red: Shell = { command: "npx jest", output: "Tests: 1 failed, 3 passed, 4 total", exitCode: 1 };
const green: Shell = { command: "npx jest", output: "Tests: 4 passed, 4 total" };
const edit: Shell = { command: "echo 'export const a = 1;' > src/a.ts" };

describe("loops", () => {
  it("a loop ends before the call that ended it, and its count is that of its calls", () => {
    const { events } = play([...Array.from({ length: 5 }, () => red), edit], { mode: "nudge" });
    expect(storyOf(events).loops.map(words.loopText)).toEqual(["calls 1–5: repeat ×5: Bash npx jest"]);
    expect(overviewOf(events).loops).toMatchObject([{ count: 5, ended: "over" }]);
    expect(explainRun(events)).toContain("Loop: Calls 1–5: repeat ×5");
  });

  it("prose that is sent to a shell is a loop, as long as its calls", () => {
    const prose = [
      "parser",
      "renderer",
      "cache",
      "index",
      "router",
      "store",
      "worker",
      "ledger",
      "queue",
      "clock",
      "schema",
      "loader",
    ].map((part, index): Shell => ({
      command:
        `I think the ${part} should first be examined, because failure ${String(index)} seems to come from the way ` +
        `the ${part} handles its state, and I would like to understand that before I change anything.`,
      output: "/bin/sh: 1: I: not found",
      exitCode: 127,
    }));
    const [loop, ...others] = storyOf(play(prose).events).loops;
    expect(others).toEqual([]);
    expect(loop).toMatchObject({ kind: "failing", to: 12, open: true });
    expect(loop?.count).toBe(12 - (loop?.from ?? 0) + 1);
  });

  it("a poll is a wait, and a chat without calls has no loop", () => {
    const poll: Shell = { command: "gh run view 12 --json status", output: '{"status":"in_progress"}' };
    const waited = storyOf(play(Array.from({ length: 60 }, () => poll)).events);
    expect([waited.loops, waited.waits.map(({ kind }) => kind)]).toEqual([[], ["waiting"]]);
    const run = codingRun({ id: "c" });
    const events: RunEvent[] = [];
    run.subscribe((step) => void events.push(...step));
    for (let turn = 0; turn < 30; turn += 1) {
      run.beforeTurn();
      run.record({ type: "message.sent", text: "Hello." });
    }
    run.end();
    expect(events.some(({ type }) => type === "alert.raised")).toBe(true);
    expect(storyOf(events)).toMatchObject({ loops: [], waits: [] });
  });
});

describe("nudges", () => {
  it("a nudge after which the same call came again, up to a review and a stop, did not help", () => {
    const { events } = play(
      Array.from({ length: 14 }, () => ({ ...red, command: "node build.js" })),
      { mode: "gate" },
    );
    expect(events.some(({ type }) => type === "review.requested")).toBe(true);
    const settled = events.flatMap((event) => (event.type === "nudge.settled" ? event.helped : []));
    expect(settled.length).toBeGreaterThan(0);
    expect(settled).not.toContain(true);
  });
});

describe("ends", () => {
  it("a run that was stopped a second ago is not live", async () => {
    const home = emptyHome();
    const store = createFileStore(join(home, ".phasekit/runs"));
    const run = codingRun({ id: "killed" });
    const stored = storeRun(run, store);
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok", input: { file_path: "a.ts" } });
    run.end({ reason: "interrupted" });
    await stored.close();
    const { out } = await phasekitHere(["why", "killed"], { cwd: home, home });
    expect(out).toContain("ENDED     interrupted in exploring: the process was stopped or killed");
    expect(out).not.toContain("not yet");
  });

  it("a session that is being written is live in every list, and has no reason", async () => {
    const home = emptyHome();
    const session = createClaudeSession(home, "/srv/app", { id: "s-1" });
    session.prompt("Fix it.");
    session.call("ls", "a.ts");
    const ask = async (...args: readonly string[]): Promise<string> => (await phasekitHere(args, { home })).out;
    expect(await ask("runs")).toMatch(/live now/);
    expect(await ask("runs")).not.toMatch(/interrupted/);
    expect(JSON.parse(await ask("why", "--json"))).toMatchObject({ end: { live: true, word: "live now" } });
    expect(JSON.parse(await ask("why", "--json"))).not.toHaveProperty("story.reason");
    expect(await ask("check", session.path)).toMatch(/FAIL {5}finished {6}not yet: the last event was just now/);
  });

  it("nothing says that the agent said it was done when the host left its loop", () => {
    const { run, events } = (() => {
      const log: RunEvent[] = [];
      const made = codingRun({ id: "r" }) as unknown as Run;
      made.subscribe((step) => void log.push(...step));
      made.beforeTurn();
      made.record({ type: "model.answered", finishReason: "tool-calls", toolCalls: 1 });
      made.record({ type: "tool.finished", tool: "Edit", input: { file_path: "src/a.ts" }, outcome: "ok" });
      made.end();
      return { run: made, events: log };
    })();
    expect(run.outcome?.reason).toBe("step_limit");
    expect(words.endingOf(storyOf(events)).text).toContain("the host ended its loop");
    expect(explainRun(events) + JSON.stringify(overviewOf(events).verdict)).not.toMatch(/agent (?:said|says)/);
  });

  it("an agent that could not do the work gave up", () => {
    const broken: Shell = { command: "npm run build", output: "npm error Missing script", exitCode: 1 };
    const { events } = play([broken, broken], { says: "I could not build the project." });
    expect(words.endingOf(storyOf(events))).toMatchObject({ word: "gave_up", tone: "bad" });
    expect(overviewOf(events).verdict[0]?.answer).toBe("Gave up");
  });

  it("`done` says that the run ended so, and not that the work is finished", () => {
    const { events } = play([{ command: "ls" }], { says: "Done." });
    expect(words.endingOf(storyOf(events)).text).toBe("done in answering: the run ended as done, and no gate objected");
  });
});

describe("evidence and delivery", () => {
  it("one green file after a red suite says so", () => {
    const suite: Shell = { command: "npx jest", output: "Tests: 114 failed, 1346 passed, 1460 total", exitCode: 1 };
    const one: Shell = { command: "npx jest src/a.test.ts", output: "Tests: 23 passed, 23 total" };
    const { events } = play([suite, edit, suite, one], { says: "Fixed; all tests pass." });
    const { out } = { out: explainRun(events) };
    expect(out).toMatch(/Verified: no.*114 fail/);
    expect(overviewOf(events).verdict[1]?.text).toContain("114");
  });

  it("hooks that were skipped, tests that were deleted and claims that are not true are named", () => {
    const { events } = play(
      [edit, green, { command: "rm src/a.test.ts" }, { command: 'git commit --no-verify -am "fix"' }],
      { says: "Fixed, committed and pushed to origin. I pushed the branch." },
    );
    const { missed, delivery } = storyOf(events);
    expect(delivery).toMatchObject({ committed: true, pushed: false });
    expect(missed.join("\n")).toMatch(/--no-verify/);
    expect(missed.join("\n")).toMatch(/Tests were weakened: src\/a\.test\.ts: deleted/);
    expect(overviewOf(events).verdict[1]?.text).toContain("--no-verify");
    expect(explainRun(events)).toContain("--no-verify");
    expect(words.workText(storyOf(events))).toMatch(/^1 file \(src\/a\.ts\), tests ran once: 4 passed, committed/);
  });

  it("a veto that was not applied is one that would have been", () => {
    const decided = (mode: Mode): string | undefined =>
      words.interventionText(storyOf(play([edit], { mode, says: "Done." }).events));
    expect(decided("nudge")).toMatch(/^would have vetoed the finish at call 1: /);
    expect(decided("gate")).toMatch(/^vetoed the finish/);
  });

  it("simulate, why and the page count the same vetoes, in every mode", async () => {
    const folder = emptyHome();
    const store = createFileStore(folder);
    const run = codingRun({ id: "r", mode: "observe" }) as unknown as Run;
    const events: RunEvent[] = [];
    run.subscribe((step) => void events.push(...step));
    storeRun(run, store);
    const call = ({ command, output = "", exitCode = 0 }: Shell): void => {
      run.beforeTurn();
      run.record({ type: "tool.finished", tool: "Bash", outcome: "ok", input: { command }, output, exitCode });
    };
    call(edit);
    // It says so again and again: only the first finish and those after new calls hold it back.
    for (const command of ["ls", "", "", "pwd", "", "date", "whoami", "id"]) {
      if (command !== "") call({ command, output: command });
      run.beforeFinish({ text: "Done." });
    }
    run.end();
    await store.close();
    const { interventions } = storyOf(events);
    expect(interventions.vetoes).toBeGreaterThan(1);
    expect(events.filter(({ type }) => type === "finish.vetoed").length).toBeGreaterThan(interventions.vetoes);
    expect(overviewOf(events).timeline.marks.filter(({ kind }) => kind === "veto")).toHaveLength(interventions.vetoes);
    for (const mode of ["observe", "gate"]) {
      const { out } = await phasekitHere(["simulate", folder, "--mode", mode, "--json"]);
      const { simulated } = JSON.parse(out) as {
        simulated: { totals: { vetoes: number }; policies: { vetoes: number }[] }[];
      };
      expect(simulated[0]?.totals.vetoes).toBe(interventions.vetoes);
      expect(simulated[0]?.policies.reduce((sum, { vetoes }) => sum + vetoes, 0)).toBe(interventions.vetoes);
    }
  });

  it("all interventions are in one line", () => {
    const { events } = play(
      Array.from({ length: 9 }, () => ({ ...red, command: "node build.js" })),
      { mode: "gate" },
    );
    const { interventions } = storyOf(events);
    expect(interventions.applied.nudges).toBeGreaterThan(1);
    const text = words.interventionText(storyOf(events)) ?? "";
    expect(text).toContain(`sent ${String(interventions.applied.nudges)} nudges`);
    expect(text).toMatch(/refused (?:a call|\d calls)/);
    expect(text).not.toContain("would have");
  });
});

describe("numbers and names", () => {
  it("tokens that are known in part have a plus", () => {
    const events: RunEvent[] = [];
    playRun(
      { id: "r", events: [{ type: "model.answered", usage: { outputTokens: 19_000 } }] },
      { subscribe: (step) => events.push(...step) },
    );
    expect(words.tokenText(storyOf(events))).toBe("19 k+");
  });

  it("Codex names its model once per turn, and its cost is known", async () => {
    const line = (type: string, payload: object): string =>
      `${JSON.stringify({ timestamp: "2026-01-01T00:00:00Z", type, payload })}\n`;
    const path = join(emptyHome(), "rollout.jsonl");
    const usage = { input_tokens: 1000, cached_input_tokens: 0, output_tokens: 100, total_tokens: 1100 };
    writeFileSync(
      path,
      line("session_meta", { id: "s", timestamp: "2026-01-01T00:00:00Z", cwd: "/w", originator: "codex_cli_rs" }) +
        line("turn_context", { cwd: "/w", model: "gpt-5" }) +
        line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: "Go." }] }) +
        line("response_item", {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "Done." }],
        }) +
        line("event_msg", { type: "token_count", info: { total_token_usage: usage, last_token_usage: usage } }),
    );
    const { out } = await phasekitHere(["why", path, "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      story: { models: [{ model: "gpt-5" }] },
      cost: { usd: expect.any(Number) as number },
    });
  });

  it("check says that it did not check the other logs of a folder", async () => {
    const home = emptyHome();
    writeFileSync(join(home, "a.json"), chatLog([{ says: "Hello." }]));
    writeFileSync(join(home, "b.json"), chatLog([{ says: "Hello." }]));
    const { out } = await phasekitHere(["check", home, "--only-latest"]);
    expect(out).toContain("the newest of 2 logs; the others were not checked");
  });
});
