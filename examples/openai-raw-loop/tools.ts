import type { OpenAI } from "openai";

const files = new Map([
  ["src/sum.js", "return a - b;"],
  ["test/sum.test.js", "sum(2, 3) is 5"],
  ["README.md", "sum(a, b) adds."],
]);

const path = { type: "string" };
const tool = (name: string, properties: Record<string, unknown>): OpenAI.ChatCompletionTool => ({
  type: "function",
  function: { name, parameters: { type: "object", properties } },
});

/** The tools of the model. */
export const tools = [
  tool("read_file", { path }),
  tool("edit_file", { path, content: { type: "string" } }),
  tool("run_tests", {}),
];

/** The handlers of the tools; they really read, edit and run. */
export const handlers = {
  read_file: (input: { path: string }) => files.get(input.path) ?? "no such file",
  edit_file: (input: { path: string; content: string }) => {
    files.set(input.path, input.content);
    return `wrote ${input.path}`;
  },
  run_tests: () => {
    // oxlint-disable-next-line typescript/no-implied-eval -- running the edited code is what a test does
    const sum = new Function("a", "b", files.get("src/sum.js") ?? "") as (a: number, b: number) => number;
    return { exitCode: sum(2, 3) === 5 ? 0 : 1, stdout: `sum(2, 3) is ${sum(2, 3)}` };
  },
};
