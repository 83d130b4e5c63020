/** A message log as a loop around chat completions would save it: calls with their results, and what was said. */
export interface Step {
  readonly tool?: string;
  readonly input?: object;
  readonly output?: string;
  /** Text of the assistant, without a call. */
  readonly says?: string;
  readonly user?: string;
}

/** The messages of a conversation. */
export function chatLog(steps: readonly Step[], task = "The tests fail. Fix it."): string {
  const messages: object[] = [{ role: "user", content: task }];
  steps.forEach(({ tool, input = {}, output = "", says, user }, index) => {
    if (user !== undefined) messages.push({ role: "user", content: user });
    else if (tool === undefined) messages.push({ role: "assistant", content: says ?? "" });
    else {
      const id = `call_${String(index)}`;
      messages.push(
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id, type: "function", function: { name: tool, arguments: JSON.stringify(input) } }],
        },
        { role: "tool", tool_call_id: id, content: output },
      );
    }
  });
  return JSON.stringify({ messages });
}

const PASSED = "✔ adds (1ms)\nℹ tests 3\nℹ pass 3\nℹ fail 0\n";
const FAILED = "✖ adds (1ms)\nℹ tests 3\nℹ pass 2\nℹ fail 1\n";

const readFile: Step = {
  tool: "read_file",
  input: { path: "src/sum.js" },
  output: "export const sum = (a, b) => a - b;",
};
const edit: Step = {
  tool: "edit_file",
  input: { path: "src/sum.js", old_string: "a - b", new_string: "a + b" },
  output: "The file was edited.",
};
const testRun = (output: string): Step => ({ tool: "bash", input: { command: "node --test" }, output });
const broken: Step = {
  tool: "bash",
  input: { command: "node scripts/build.js" },
  output: "Error: Cannot find module '/app/scripts/build.js'\n    at node:internal\n[exit code: 1]",
};

/** Small logs, each with one story to tell. */
export const sampleLogs = {
  /** Edits, tests, and says so. */
  verified: chatLog([readFile, testRun(FAILED), edit, testRun(PASSED), { says: "Fixed; all tests pass." }]),
  /** Edits and says it is done. */
  unverified: chatLog([readFile, edit, { says: "Fixed!" }]),
  /** Tests, then edits again. */
  stale: chatLog([
    readFile,
    edit,
    testRun(PASSED),
    { ...edit, input: { path: "src/sum.js", old_string: "a + b", new_string: "b + a" } },
    { says: "Cleaned up." },
  ]),
  /** The same failing command to the end. */
  loop: chatLog([readFile, ...Array.from({ length: 8 }, () => broken)]),
  /** Only a question and an answer. */
  talk: chatLog([{ says: "It is 5." }], "What is 2 + 3?"),
  /** Tools of another trade. */
  clerk: chatLog(
    [
      { tool: "find_booking", input: { id: "B7" }, output: '{"seat":"4A"}' },
      { tool: "change_seat", input: { id: "B7", seat: "9C" }, output: '{"seat":"9C"}' },
      { says: "You sit in 9C now." },
    ],
    "Give me a seat at the back.",
  ),
  /** Words alone: perhaps there are no tools. */
  words: chatLog(
    [
      "First I would look at the tests.",
      "Then I would look at the code.",
      "Then I would change it.",
      "And test it.",
    ].map((says) => ({ says })),
  ),
  /** Text that would move the cursor, set the title and hide itself. */
  hostile: chatLog([
    {
      tool: "bash",
      input: { command: "echo \u001b]0;owned\u0007\u001b[2J\u202Egnp.sj" },
      output: "\u001b[31mred\u001b[0m",
    },
    ...Array.from({ length: 6 }, () => ({ ...broken, input: { command: "node \u001b[2J\u0000evil\u0007.js" } })),
    { says: "<script>alert(1)</script>" },
  ]),
} as const;
