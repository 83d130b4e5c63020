import { describeGrowth } from "@phasekit/tooling/growth";
import type { ToolCall, ToolResult } from "@phasekit/core";
import { readDeliveries } from "./delivery/read-deliveries.ts";
import { isNeverStarted } from "./answers/never-started.ts";
import { readError } from "./answers/read-error.ts";
import { reading } from "./reading.ts";
import { readTestOutput } from "./tests/read-test-output.ts";

/** A fresh interpreter for each text: it remembers answers and command lines. */
function interpret(call: ToolCall, result?: ToolResult): unknown {
  const source = reading();
  return (typeof source === "function" ? source() : source).interpret(call, result);
}

/** A file that is edited, then read. */
function editAndRead(text: string): unknown {
  const source = reading();
  const { interpret: read } = typeof source === "function" ? source() : source;
  const input = { file_path: "a.ts", old_string: "x", new_string: text };
  read({ tool: "edit", input }, { outcome: "ok", output: "The file a.ts has been updated." });
  return read({ tool: "read", input: { file_path: "a.ts" } }, { outcome: "ok", output: text });
}

const answered = (call: ToolCall, output: unknown): unknown => interpret(call, { outcome: "ok", output });

describeGrowth([
  { name: "command line", read: (command) => interpret({ tool: "bash", input: { command } }) },
  { name: "answer", read: (output) => answered({ tool: "fetch", input: {} }, output) },
  {
    name: "answer as an object",
    read: (text) => answered({ tool: "fetch", input: {} }, { stdout: text, exitCode: 1 }),
  },
  { name: "test output", read: (output) => answered({ tool: "bash", input: { command: "npm test" } }, output) },
  { name: "hook output", read: (output) => answered({ tool: "bash", input: { command: "git commit -m x" } }, output) },
  { name: "CI output", read: (output) => answered({ tool: "bash", input: { command: "gh run watch 1" } }, output) },
  { name: "lint output", read: (output) => answered({ tool: "bash", input: { command: "eslint . | cat" } }, output) },
  { name: "program output", read: (output) => answered({ tool: "bash", input: { command: "./app" } }, output) },
  { name: "diagnostics", read: (output) => answered({ tool: "mcp__ide__getDiagnostics", input: {} }, output) },
  { name: "inline code", read: (code) => interpret({ tool: "bash", input: { command: `python -c '${code}'` } }) },
  { name: "variables", read: (text) => interpret({ tool: "bash", input: { command: `a=${text}; cat $a ${text}` } }) },
  { name: "check output", read: (output) => readTestOutput({ output, kind: "check", trusted: false }) },
  { name: "code", read: (code) => interpret({ tool: "python", input: { code } }) },
  {
    name: "edit",
    read: (text) =>
      answered({ tool: "edit", input: { file_path: "a.test.ts", old_string: text, new_string: `${text}x` } }, text),
  },
  { name: "edited file that is read", read: editAndRead },
  { name: "patch", read: (patch) => answered({ tool: "apply_patch", input: patch }, "Done") },
  { name: "plan", read: (plan) => interpret({ tool: "update_plan", input: { plan, todos: plan } }) },
  { name: "tool name", read: (tool) => interpret({ tool, input: {} }) },
  { name: "path", read: (path) => interpret({ tool: "write_file", input: { path, content: "" } }) },
  { name: "JSON text as input", read: (input) => interpret({ tool: "bash", input }) },
  { name: "deliveries", read: (line) => readDeliveries(`git commit -m ${line}`) },
  { name: "error", read: (text) => readError(text, text) },
  { name: "isNeverStarted", read: (text) => isNeverStarted(text, 1) },
]);
