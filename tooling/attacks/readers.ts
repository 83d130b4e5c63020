import { codingRun } from "@phasekit/coding";
import { parseContract } from "@phasekit/contracts";
import {
  conversationPhases,
  createRun,
  type Interpreter,
  type NewEvent,
  type RunEvent,
  type ToolCall,
  type ToolResult,
} from "@phasekit/core";
import { clipText, hashText, isOffered, normalizeJson, quote } from "@phasekit/core/adapter";
import { classifyFailure, redactSecrets } from "@phasekit/ledger";
import { explainRun } from "@phasekit/ledger/story";
import { reading, readShell, readTestOutput } from "@phasekit/reading";
import { overviewOf, overviewToMarkdown } from "@phasekit/report";
import { renderReport } from "@phasekit/report/node";
import { parseTranscript } from "@phasekit/transcripts";
import { modelReviewer } from "@phasekit/watchdog";
import type { Reader } from "@phasekit/tooling/growth";
// Internals: they read text, and no entry exports them.
import { findEmptySections, readSections } from "../../packages/contracts/src/contract/sections.ts";
import { findEscalations } from "../../packages/contracts/src/triggers/escalation-triggers.ts";
import { asksForListOnly } from "../../packages/orchestrator/src/phases/judge-completion.ts";
import { readInitialPhase } from "../../packages/orchestrator/src/phases/initial-phase.ts";
import { judgeLesson } from "../../packages/orchestrator/src/phases/judge-lesson.ts";
import { parseRoutingDecision } from "../../packages/orchestrator/src/rounds/routing-decision.ts";
import { eventRows } from "../../packages/report/src/views/event-rows.ts";
import { detectFormat } from "../../packages/transcripts/src/detect-format.ts";

/** A fresh interpreter for each text: `reading()` remembers answers. */
function interpret(call: ToolCall, result?: ToolResult): unknown {
  const source = reading();
  return (typeof source === "function" ? source() : source).interpret(call, result);
}

const redact = redactSecrets();

/** Readers of one text: a tool's input or output, a message, a file of the repository, a log. */
export const textReaders: readonly Reader[] = [
  { name: "readShell", read: readShell },
  { name: "readTestOutput", read: (output) => readTestOutput({ output, trusted: true }) },
  { name: "readTestOutput of a check", read: (output) => readTestOutput({ output, kind: "check", trusted: false }) },
  { name: "reading: shell", read: (command) => interpret({ tool: "bash", input: { command } }) },
  {
    name: "reading: test output",
    read: (output) => interpret({ tool: "bash", input: { command: "npm test; echo $?" } }, { outcome: "ok", output }),
  },
  { name: "reading: code", read: (code) => interpret({ tool: "python", input: { code } }) },
  {
    name: "reading: edit",
    read: (text) =>
      interpret(
        { tool: "edit", input: { file_path: "a.test.ts", old_string: text, new_string: `${text}x`, patch: text } },
        { outcome: "ok", output: text },
      ),
  },
  {
    name: "reading: plan",
    read: (plan) => interpret({ tool: "update_plan", input: { plan, todos: plan } }),
  },
  { name: "reading: JSON text as input", read: (input) => interpret({ tool: "bash", input }) },
  { name: "reading: tool name", read: (tool) => interpret({ tool, input: {} }) },
  { name: "reading: command", read: (command) => interpret({ tool: "bash", input: { command } }) },
  {
    name: "reading: members",
    read: (text) => interpret({ tool: text, input: { query: text, path: text, url: text, plan: text, [text]: text } }),
  },
  { name: "reading: result that moved", read: repeatResult },
  {
    name: "modelReviewer",
    read: (text) =>
      modelReviewer(() => Promise.resolve(text))(
        { review: "", kind: "", text: "", by: "", applied: true },
        createRun(),
      ),
  },
  { name: "normalizeJson", read: (text) => normalizeJson({ [text]: [text, { text }] }) },
  { name: "clipText, hashText, quote, isOffered", read: readSmall },
  { name: "redactSecrets", read: (output) => redact({ type: "tool.finished", output }) },
  { name: "classifyFailure", read: (message) => classifyFailure(new Error(message)) },
  { name: "detectFormat", read: (text) => detectFormat(text) },
  { name: "parseTranscript", read: (text) => parseTranscript(text) },
  { name: "parseTranscript: a session", read: (text) => parseTranscript(sessionOf(text)) },
  { name: "parseTranscript: chat messages", read: (text) => parseTranscript(chatOf(text)) },
  {
    name: "parseTranscript: aider",
    read: (text) => parseTranscript(`# aider chat started at 2024-01-01 00:00:00\n\n#### hello\n\n${text}`),
  },
  { name: "parseRoutingDecision", read: parseRoutingDecision },
  { name: "judgeLesson", read: (text) => judgeLesson(text, [{ text: "Run the tests before the build." }]) },
  { name: "readInitialPhase", read: (text) => readInitialPhase(text, conversationPhases) },
  { name: "asksForListOnly", read: asksForListOnly },
];

/** Readers of contract files and artifacts. */
export const contractReaders: readonly Reader[] = [
  { name: "parseContract", read: (text) => parseContract(text) },
  { name: "parseContract: front matter", read: (text) => parseContract(`---\nphase: ${text}\n---\n\n${text}\n`) },
  { name: "readSections", read: readSections },
  { name: "artifact checks", read: (text) => findEmptySections(text, ["Summary", "Open questions"]) },
  { name: "findEscalations: artifact", read: (text) => escalationsOf(text, undefined) },
  { name: "findEscalations: diff", read: (diff) => escalationsOf("", diff) },
];

/** Readers of whole runs: everything `codingRun()` does with one event, and what is derived from its log. */
export const runReaders: readonly Reader[] = [
  { name: "codingRun: shell call", read: (command) => logOf({ tool: "bash", input: { command }, output: "ok" }) },
  { name: "codingRun: result", read: (output) => logOf({ tool: "bash", input: { command: "npm test" }, output }) },
  { name: "codingRun: failed result", read: (output) => logOf({ tool: "run", input: {}, output, outcome: "error" }) },
  {
    name: "codingRun: the same call three times",
    read: (output) => logOf({ tool: "poll", input: { id: 1 }, output, calls: 3 }),
    limit: 150,
  },
  {
    name: "codingRun: the same message three times",
    read: (text) => logOf({ tool: "read", input: { path: "a" }, output: "", text, calls: 3 }),
    limit: 150,
  },
  { name: "codingRun: run.text", read: stream },
  // The text is in four fields of four events, each with its own redaction.
  { name: "explainRun", read: (text) => explainRun(logWith(text)), limit: 200 },
  { name: "eventRows", read: (text) => eventRows(logWith(text)), limit: 200 },
  { name: "overviewOf", read: (text) => overviewToMarkdown(overviewOf(logWith(text))), limit: 200 },
  { name: "renderReport", read: (text) => renderReport([logWith(text)]), limit: 250 },
];

/** Every public reader of untrusted text. */
export const readers: readonly Reader[] = [...textReaders, ...contractReaders, ...runReaders];

function readerOf(): Interpreter {
  const source = reading();
  return typeof source === "function" ? source() : source;
}

function repeatResult(text: string): unknown {
  const { interpret } = readerOf();
  const call = { tool: "poll", input: { id: 1 } };
  interpret(call, { outcome: "ok", output: `12:00:01 ${text}` });
  interpret(call, { outcome: "ok", output: `12:00:02 ${text}` });
  interpret(call, { outcome: "ok", output: { at: 1, text } });
  return interpret(call, { outcome: "ok", output: { at: 2, text: `${text}.` } });
}

function readSmall(text: string): unknown {
  return [
    clipText(text, 100),
    hashText(text),
    quote(text),
    isOffered({ allow: ["a*b*c*d"] }, text),
    isOffered({ allow: [text] }, "a".repeat(99)),
  ];
}

function escalationsOf(text: string, diff: string | undefined): unknown {
  return findEscalations(
    ["open_questions_present", "api_boundary_changed", "db_schema_changed", "security_sensitive"],
    {
      claim: { open_questions: [], summary: text.slice(0, 2000), completed_phase: "plan" },
      artifact: { status: "found", text, hash: "h", path: "plan.md", from: "project" },
      diff,
    },
  );
}

function sessionOf(text: string): string {
  const tool = { type: "tool_use", id: "c", name: "Bash", input: { command: text } };
  return [
    { type: "user", uuid: "u", sessionId: "s", message: { role: "user", content: text } },
    { type: "assistant", uuid: "a", sessionId: "s", message: { id: "m", role: "assistant", content: [tool] } },
    {
      type: "user",
      uuid: "r",
      sessionId: "s",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: text }] },
    },
  ]
    .map((record) => JSON.stringify(record))
    .join("\n");
}

function chatOf(text: string): string {
  return JSON.stringify({
    messages: [
      { role: "user", content: text },
      {
        role: "assistant",
        content: text,
        tool_calls: [{ id: "c", type: "function", function: { name: "bash", arguments: text } }],
      },
      { role: "tool", tool_call_id: "c", content: text },
    ],
  });
}

interface Call {
  readonly tool: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly outcome?: "ok" | "error";
  readonly text?: string;
  readonly calls?: number;
}

/** The events of a coding run with one call, or more of the same, so that results are compared. */
function logOf({ tool, input, output, outcome = "ok", text = "", calls = 1 }: Call): readonly RunEvent[] {
  const events: RunEvent[] = [];
  const run = codingRun({ task: { text: "Fix the bug." }, clock: () => 0 });
  run.subscribe((step) => events.push(...step));
  for (let number = 1; number <= calls; number += 1) {
    const call = String(number);
    const events: readonly NewEvent[] = [
      { type: "turn.started" },
      { type: "tool.requested", call, tool, input },
      {
        type: "tool.finished",
        call,
        tool,
        input,
        outcome,
        output: typeof output === "string" ? `${call} ${output}` : output,
      },
      { type: "message.sent", text },
    ];
    for (const event of events) run.record(event);
  }
  run.beforeFinish({ text });
  run.end({});
  return events;
}

function logWith(text: string): readonly RunEvent[] {
  return logOf({ tool: text, input: { command: text }, output: text, text });
}

/** Text that is streamed in the pieces of a provider. */
function stream(text: string): unknown {
  const run = codingRun({ clock: () => 0 });
  for (let from = 0; from < text.length; from += 20) run.text(text.slice(from, from + 20));
  return run.record({ type: "message.sent", text });
}
