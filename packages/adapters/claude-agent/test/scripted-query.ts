import { type Options, query as realQuery } from "@anthropic-ai/claude-agent-sdk";
import { scriptedClaude } from "@phasekit/tooling/scripted-claude";

const usage = { input: 10, output: 2 };

/** The SDK's `query` with a scripted Claude Code behind it, in the place of the import in README.md. */
export function query({ prompt, options }: { readonly prompt: string; readonly options: Options }) {
  const claude = scriptedClaude({
    tools: [{ name: "Read", execute: () => "a - b" }],
    script: [
      { calls: [{ tool: "Read", input: { file_path: "sum.js" } }], usage },
      { text: "Done.", usage },
    ],
  });
  const scripted = { spawnClaudeCodeProcess: claude.spawn, pathToClaudeCodeExecutable: "scripted" };
  return realQuery({ prompt, options: { ...options, ...scripted, settingSources: [] } });
}
