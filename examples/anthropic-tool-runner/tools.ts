import { toRunnableTools } from "@phasekit/anthropic";
import type { PlainTool } from "@phasekit/core";

const files = new Map([
  ["README.md", "# sum\n\n`sum(a, b)` adds two numbers."],
  ["src/sum.js", "return a - b;"],
  ["test/sum.test.js", "assert.equal(sum(2, 3), 5);"],
]);

const path = { type: "string" };
const object = (properties: Record<string, { type: string }>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});
const inputOf = (input: unknown) => input as { readonly path: string; readonly content: string };

/** A small project as plain tools: files can be read and changed, and the tests depend on them. */
const project: readonly PlainTool[] = [
  {
    name: "read_file",
    description: "Reads a file.",
    inputSchema: object({ path }),
    execute: (input) => {
      const text = files.get(inputOf(input).path);
      return { ok: text !== undefined, text: text ?? "There is no such file." };
    },
  },
  {
    name: "edit_file",
    description: "Replaces the content of a file.",
    inputSchema: object({ path, content: { type: "string" } }),
    execute: (input) => {
      files.set(inputOf(input).path, inputOf(input).content);
      return { ok: true, text: "written" };
    },
  },
  {
    name: "run_tests",
    description: "Runs the tests.",
    inputSchema: object({}),
    execute: () => {
      const exitCode = files.get("src/sum.js")?.includes("a + b") === true ? 0 : 1;
      return { ok: true, text: JSON.stringify({ exitCode, stdout: exitCode === 0 ? "1 passed" : "1 failed" }) };
    },
  },
];

export const tools = toRunnableTools(project);
