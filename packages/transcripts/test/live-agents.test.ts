import { playRun } from "@phasekit/core";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseTranscript, type RecordedRun } from "../src/index.ts";
import { eventsToLines } from "./event-lines.ts";

// Logs of real agents (Claude Code 2.1.325, Codex 0.166.0, Copilot CLI 1.0.102, Gemini CLI 0.61.0, pi 0.87.1) that
// were driven by a scripted model, without the texts of their vendors.
function read(file: string): RecordedRun {
  const { runs, report } = parseTranscript(readFileSync(join(import.meta.dirname, "live", file), "utf8"));
  expect({ unknown: report.unknown, broken: report.broken, runs: runs.length }).toEqual({
    unknown: {},
    broken: {},
    runs: 1,
  });
  return runs[0]!;
}

const kinds = (run: RecordedRun): readonly string[] =>
  eventsToLines(run).filter((line) => /^(?:finish|message.received|move)/.test(line));
const resultsOf = ({ events }: RecordedRun): readonly string[] =>
  events.flatMap((event) =>
    event.type === "tool.finished" ? [`${event.outcome} ${String(event.exitCode ?? "?")}`] : [],
  );

describe("a session of two prompts", () => {
  const agents = ["claude-code", "codex", "copilot-cli", "gemini-cli", "pi"];
  it.each(agents)("%s: the run waits between an accepted finish and the next prompt", (agent) => {
    const run = read(`${agent}-two.jsonl`);
    expect(run.task?.text).toBe("Fix sum in sum.mjs.");
    expect(kinds(run)).toEqual([
      "message.received: Fix sum in sum.mjs.",
      "finish: All done, the tests pass.",
      "move.requested",
      "move.requested",
      "message.received: Now add a comment.",
      "finish: Added.",
    ]);
    const moves = run.events.filter(({ type }) => type === "move.requested");
    expect(moves).toMatchObject([
      { do: "suspend", by: "host", why: "The agent finished its turn." },
      { do: "resume", by: "user" },
    ]);
    const [suspended, resumed] = moves.map(({ at = 0 }) => at);
    expect(resumed).toBeGreaterThan(suspended ?? 0);
    expect(run.ending.reason).toBeUndefined();
  });

  it.each([
    { agent: "claude-code", first: "error 2" },
    { agent: "codex", first: "error 2" },
    { agent: "copilot-cli", first: "error 2" },
    { agent: "gemini-cli", first: "error 2" },
    { agent: "pi", first: "error 2" },
  ])("$agent: a failed command is an error with its exit code", ({ agent, first }) => {
    const results = resultsOf(read(`${agent}-two.jsonl`));
    expect(results[0]).toBe(first);
    expect(results.slice(1).every((result) => result.startsWith("ok"))).toBe(true);
  });
});

describe("a finish that a hook of Phasekit vetoed", () => {
  it.each(["claude-code", "codex", "copilot-cli", "gemini-cli"])(
    "%s: is a finish, and the veto is not a message of the user",
    (agent) => {
      const run = read(`${agent}-veto.jsonl`);
      expect(kinds(run)).toEqual([
        "message.received: Fix sum in sum.mjs.",
        "finish: All done.",
        "finish: All done, the tests pass.",
      ]);
    },
  );
});

describe("codex", () => {
  it("reads scripts as the calls they wrap, and a poll that sees its command end as that command", () => {
    const run = read("codex-scripts.jsonl");
    const calls = run.events.flatMap((event) => (event.type === "tool.requested" ? [event] : []));
    expect(calls.map(({ tool, input }) => [tool, input])).toEqual([
      ["exec_command", { cmd: "ls nothing-here" }],
      ["exec_command", { cmd: "sed -i 's/a - b/a + b/' sum.mjs" }],
      ["exec_command", { cmd: "sleep 4; node --test --test-reporter=tap", yield_time_ms: 1000 }],
      ["exec_command", { cmd: "sleep 3; node --test --test-reporter=tap", yield_time_ms: 8000 }],
      ["wait", { cell_id: "4", yield_time_ms: 1000 }],
      ["exec_command", { cmd: "sleep 3; node --test --test-reporter=tap", cell_id: "4", yield_time_ms: 9000 }],
    ]);
    expect(resultsOf(run)).toEqual(["error 2", "ok 0", "ok ?", "ok ?", "ok ?", "ok 0"]);
    const outputs = run.events.flatMap((event) =>
      event.type === "tool.finished" ? [JSON.stringify(event.output)] : [],
    );
    expect(outputs[2]).toContain("session_id");
    expect(outputs[3]).toContain("Script running with cell ID 4");
    expect(outputs[5]).toContain("# pass 1");
  });
});

describe("gemini-cli --output-format stream-json", () => {
  it("reads answers, calls and results", () => {
    const run = read("gemini-stream-two.jsonl");
    expect(run).toMatchObject({
      format: "gemini-cli",
      model: "gemini-2.5-flash",
      task: { text: "Fix sum in sum.mjs." },
    });
    expect(resultsOf(run)).toHaveLength(3);
    expect(kinds(run)).toEqual(["message.received: Fix sum in sum.mjs.", "finish: All done, the tests pass."]);
  });
});

describe("the last answer of a run", () => {
  it.each([
    { agent: "claude-code", script: "cut", reason: "answer_truncated" },
    { agent: "claude-code", script: "empty", reason: "answer_empty" },
    { agent: "claude-code", script: "filtered", reason: "content_filtered" },
    { agent: "codex", script: "cut", reason: "answer_truncated" },
    { agent: "codex", script: "empty", reason: "answer_empty" },
    { agent: "codex", script: "filtered", reason: "content_filtered" },
    { agent: "copilot-cli", script: "cut", reason: "answer_truncated" },
    { agent: "copilot-cli", script: "empty", reason: "answer_empty" },
    { agent: "copilot-cli", script: "filtered", reason: "content_filtered" },
    { agent: "gemini-cli", script: "empty", reason: "answer_empty" },
    { agent: "gemini-stream", script: "empty", reason: "answer_empty" },
    { agent: "pi", script: "cut", reason: "answer_truncated" },
    { agent: "pi", script: "empty", reason: "answer_empty" },
    { agent: "pi", script: "filtered", reason: "content_filtered" },
  ])("$agent: ends the run as $reason if it is $script", ({ agent, script, reason }) => {
    const run = read(`${agent}-${script}.jsonl`);
    expect(run.ending.reason).toBe(reason);
    expect(run.events.some(({ type }) => type === "finish.requested")).toBe(false);
    expect(playRun(run).outcome).toMatchObject({ reason, verified: false });
  });

  it.each(["claude-code", "codex", "copilot-cli", "pi"])("%s: has its reasoning as an event", (agent) => {
    const reasoned = read(`${agent}-cut.jsonl`).events.filter(({ type }) => type === "model.reasoned");
    expect(reasoned).toMatchObject([{ text: "I should look at the file first." }]);
  });

  it.each([
    { agent: "codex", tokens: 7 },
    { agent: "pi", tokens: 7 },
  ])("$agent: counts reasoning tokens", ({ agent, tokens }) => {
    const [first] = read(`${agent}-cut.jsonl`).events.flatMap((event) =>
      event.type === "model.answered" ? [event.usage] : [],
    );
    expect(first?.reasoningTokens).toBe(tokens);
  });
});
