import { playRun } from "@phasekit/core";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formats, parseTranscript, type RecordedRun, type Transcript } from "../src/index.ts";
import { detectFormat } from "../src/detect-format.ts";
import { eventsToLines } from "./event-lines.ts";

const folder = join(import.meta.dirname, "fixtures");
const read = (file: string): Transcript =>
  parseTranscript(readFileSync(join(folder, file), "utf8"), { name: "unnamed" });
const firstOf = ({ runs }: Transcript): RecordedRun => runs[0]!;

/** One story in every format with tools: the expected events. */
const TOOLS = `
turn.started
answered: 7 characters, 1 calls
message.sent: I look.
call read_file {"path":"sum.ts"}
ok read_file "return a - b;"
turn.started
answered: 0 characters, 2 calls
call edit_file {"path":"sum.ts","text":"return a + b;"}
call run_tests {}
ok edit_file "edited"
error run_tests "1 failed"
turn.started
answered: 0 characters, 1 calls
call run_tests {}
ok run_tests "1 passed"
turn.started
answered: 5 characters, 0 calls
message.sent: Done.
finish: Done.
`;

/** The expected events of agents whose only tool is a shell. */
const SHELL = `
turn.started
answered: 7 characters, 1 calls
message.sent: I look.
call bash {"command":"cat sum.ts"}
ok bash "return a - b;"
turn.started
answered: 7 characters, 1 calls
message.sent: I edit.
call bash {"command":"sed -i s/-/+/ sum.ts"}
ok bash ""
turn.started
answered: 7 characters, 1 calls
message.sent: I test.
call bash {"command":"npm test"}
ok bash "1 passed"
turn.started
answered: 5 characters, 0 calls
message.sent: Done.
finish: Done.
`;

interface Told {
  readonly file: string;
  readonly format: string;
  /** Contents of the format: usage per answer, times, an id of the run. */
  readonly usage?: "all" | "last";
  readonly times?: "all" | "answers";
  readonly id?: string;
  readonly agent?: string;
  /** The format cannot say that a tool failed. */
  readonly noErrors?: true;
  /** The agent is done by a command of its own. */
  readonly submits?: string;
  /** The format does not hold what the agent was asked for. */
  readonly noTask?: true;
}

const tools: readonly Told[] = [
  { file: "phasekit.jsonl", format: "phasekit", usage: "all", times: "all", id: "run-1" },
  {
    file: "claude-code.jsonl",
    format: "claude-code",
    usage: "all",
    times: "all",
    id: "session-1",
    agent: "Claude Code 2.1.0",
  },
  {
    file: "codex.jsonl",
    format: "codex",
    usage: "all",
    times: "all",
    id: "rollout-1",
    agent: "Codex 0.140.0",
  },
  { file: "codex-tui.jsonl", format: "codex-tui", times: "all", id: "tui-1", agent: "Codex", noErrors: true },
  { file: "gemini-cli.json", format: "gemini-cli", usage: "all", times: "all", id: "chat-1", agent: "Gemini CLI" },
  { file: "gemini-cli.jsonl", format: "gemini-cli", usage: "all", times: "all", id: "chat-1", agent: "Gemini CLI" },
  { file: "gemini-contents.json", format: "gemini-contents" },
  { file: "opencode.json", format: "opencode", usage: "all", times: "all", id: "ses_1", agent: "opencode 1.2.0" },
  {
    file: "opencode-run.jsonl",
    format: "opencode",
    usage: "all",
    times: "all",
    id: "ses_1",
    agent: "opencode",
    noTask: true,
  },
  {
    file: "copilot-cli.jsonl",
    format: "copilot-cli",
    usage: "all",
    times: "all",
    id: "copilot-1",
    agent: "GitHub Copilot CLI 1.0.0",
  },
  { file: "pi.jsonl", format: "pi", usage: "all", times: "all", id: "pi-1", agent: "pi" },
  { file: "openhands.json", format: "openhands", usage: "all", times: "all", agent: "OpenHands" },
  { file: "openhands-output.jsonl", format: "openhands", usage: "all", times: "all", id: "sum-1", agent: "OpenHands" },
  { file: "openhands-sdk.json", format: "openhands", times: "all", agent: "OpenHands" },
  { file: "openhands-completion.json", format: "openhands-completion", usage: "last", agent: "OpenHands" },
  { file: "inspect.json", format: "inspect", usage: "all", times: "answers", id: "sums/1" },
  { file: "atif.json", format: "atif", usage: "all", times: "all", id: "atif-1", agent: "sum-agent 1.0" },
  { file: "otlp.json", format: "otlp", usage: "all", times: "all", id: "trace1", agent: "sum-agent" },
  {
    file: "openinference-tree.json",
    format: "openinference-tree",
    usage: "all",
    times: "all",
    id: "trace2",
    agent: "Agent.run",
  },
  { file: "langfuse.json", format: "langfuse", usage: "all", times: "all", id: "trace3", agent: "sum-agent" },
  { file: "langsmith.jsonl", format: "langsmith", usage: "all", times: "all", id: "trace4", agent: "sum-agent" },
  { file: "ai-sdk-stream.json", format: "ai-sdk-stream", id: "stream-1", noTask: true },
  { file: "ai-sdk-stream.txt", format: "ai-sdk-stream", id: "stream-1", noTask: true },
  { file: "ai-sdk-ui.json", format: "ai-sdk-ui" },
  { file: "ai-sdk-messages.json", format: "ai-sdk-messages" },
  { file: "langchain-constructors.json", format: "langchain-messages", usage: "all" },
  { file: "langchain-stored.json", format: "langchain-messages", usage: "all" },
  { file: "langchain-plain.json", format: "langchain-messages", usage: "all" },
  { file: "anthropic-messages.json", format: "anthropic-messages" },
  { file: "openai-responses.json", format: "openai-responses" },
  { file: "openai-messages.json", format: "openai-messages" },
  { file: "openai-messages.jsonl", format: "openai-messages" },
  { file: "openai-request.json", format: "openai-messages", usage: "last" },
];

const shells: readonly Told[] = [
  { file: "swe-agent.traj", format: "swe-agent", id: "sums__sum-1", agent: "SWE-agent", submits: "submit" },
  {
    file: "mini-swe-agent.traj.json",
    format: "mini-swe-agent",
    agent: "mini-swe-agent",
    submits: "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff",
  },
];

describe("one story in every format", () => {
  it.each(tools)("$file", (fixture) => {
    const lines = TOOLS.trim().split("\n");
    checkStory(fixture, fixture.noErrors === true ? lines.map((line) => line.replace(/^error/, "ok")) : lines);
  });
  it.each(shells)("$file", (fixture) => {
    const lines = SHELL.trim().split("\n");
    if (fixture.submits === undefined) return checkStory(fixture, lines);
    const submission = [
      "answered: 5 characters, 1 calls",
      "message.sent: Done.",
      `call bash {"command":"${fixture.submits}"}`,
      'ok bash "diff"',
      "finish: Done.",
    ];
    checkStory(fixture, [...lines.slice(0, -3), ...submission]);
  });
});

function checkStory(
  { file, format, usage, times, id = "unnamed", agent, noTask }: Told,
  expected: readonly string[],
): void {
  const transcript = read(file);
  const { report } = transcript;
  const run = firstOf(transcript);
  expect(report.format).toBe(format);
  // Our own logs have the message as an event, or not at all.
  const isAsked = noTask !== true && format !== "phasekit";
  // Only the API of Anthropic shows reasoning in its fixture.
  const lines = eventsToLines(run).filter((line) => line !== "model.reasoned");
  expect(lines).toEqual([...(isAsked ? ["message.received: Fix the sum."] : []), ...expected]);
  expect(run.id).toBe(id);
  expect(run.agent).toBe(agent);
  expect(run.task?.text).toBe(noTask === true ? undefined : "Fix the sum.");
  expect(run.ending.reason === undefined || run.ending.reason === "done").toBe(true);
  expect(report).toMatchObject({ unknown: {}, broken: {}, orphans: 0 });
  const answers = run.events.filter((event) => event.type === "model.answered");
  expect(answers.filter((event) => event.usage !== undefined)).toHaveLength(
    usage === "all" ? answers.length : usage === "last" ? 1 : 0,
  );
  expect((times === "answers" ? answers : run.events).every(({ at }) => at !== undefined)).toBe(times !== undefined);
  // A run accepts all events.
  const rejected: string[] = [];
  const played = playRun(run, {
    subscribe: (step) => {
      for (const event of step) if (event.type === "event.rejected") rejected.push(JSON.stringify(event));
    },
  });
  expect(rejected).toEqual([]);
  expect(played.outcome?.reason).toBe("done");
}

describe("formats", () => {
  it("have a fixture each", () => {
    const seen = new Set(
      readdirSync(folder).map((file) => detectFormat(readFileSync(join(folder, file), "utf8"))?.format.name),
    );
    expect(formats.map(({ name }) => name).filter((name) => !seen.has(name))).toEqual([]);
  });

  it("each detect their own fixtures, whichever way the sample is cut", () => {
    for (const { file, format } of [...tools, ...shells]) {
      const text = readFileSync(join(folder, file), "utf8");
      const half = text.slice(0, Math.floor(text.length * 0.7));
      expect([file, detectFormat(text)?.format.name], file).toEqual([file, format]);
      // A document that is cut in the middle is still known by its beginning.
      if (file.endsWith("l") || format === "openinference-tree" || format === "openhands-completion") continue;
      expect([file, detectFormat(half)?.format.name], `half of ${file}`).toEqual([file, format]);
    }
  });
});
