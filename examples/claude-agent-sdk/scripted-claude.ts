import type { Options } from "@anthropic-ai/claude-agent-sdk";
import { scriptedClaude } from "@phasekit/tooling/scripted-claude";

const PASSING = " Test Files  1 passed (1)\n      Tests  3 passed (3)\n";
const usage = { input: 300, output: 20, cached: 200 };

/** The real Claude Code when there is a key; otherwise one that follows a script, and tests only if it is sent back. */
export function claudeOptions(): Options {
  if (process.env["ANTHROPIC_API_KEY"] !== undefined) return { permissionMode: "acceptEdits", allowedTools: ["Bash"] };
  const file = { file_path: "src/sum.js" };
  const claude = scriptedClaude({
    tools: [
      { name: "Read", execute: () => "export const sum = (a, b) => a - b;" },
      { name: "Edit", execute: () => ({ filePath: "src/sum.js", oldString: "a - b", newString: "a + b" }) },
      { name: "Bash", execute: () => ({ stdout: PASSING, stderr: "", interrupted: false }) },
    ],
    script: ({ messages }, index) => {
      const isSentBack = messages.some(({ text }) => text.startsWith("<phasekit>"));
      if (isSentBack)
        return messages.at(-1)?.role === "tool"
          ? { text: "Fixed, and the tests pass.", usage }
          : { calls: [{ tool: "Bash", input: { command: "npx vitest run" } }], usage };
      const edit = { tool: "Edit", input: { ...file, old_string: "a - b", new_string: "a + b" } };
      return (
        [
          { calls: [{ tool: "Read", input: file }], usage },
          { calls: [edit], usage },
        ][index] ?? { text: "Done.", usage }
      );
    },
  });
  // The SDK has no other use for the path if it does not start the process itself.
  return {
    pathToClaudeCodeExecutable: "scripted",
    spawnClaudeCodeProcess: claude.spawn,
    settingSources: [],
  };
}
