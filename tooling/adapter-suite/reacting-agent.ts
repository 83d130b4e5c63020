import type { AdapterHarness, ScriptedAgent, ScriptedTool } from "@phasekit/core/testing";
import type { ScriptedAnswer } from "../openai-server/protocol.ts";
import type { SeenRequest } from "../openai-server/seen-request.ts";

/** An agent whose model looks at what it is asked before it answers. */
export interface ReactingAgent extends ScriptedAgent {
  /** Replaces `answers`. */
  readonly script?: (request: SeenRequest, index: number) => ScriptedAnswer;
}

/** A harness that takes such an agent, too. */
export interface ReactingHarness extends AdapterHarness {
  readonly start: (agent: ReactingAgent) => ReturnType<AdapterHarness["start"]>;
}

/** A small project as tools: what was called, and what a coding agent gets to see. */
export interface ToyProject {
  readonly tools: readonly ScriptedTool[];
  /** The calls that were really made, as `Tool argument`. */
  readonly made: readonly string[];
}

const PASSING = " Test Files  1 passed (1)\n      Tests  3 passed (3)\n";

/** Files can be read and edited, tests pass, and everything that needs a writable repository fails. */
export function toyProject(): ToyProject {
  const made: string[] = [];
  const tool = (name: string, argument: string, execute: (value: string) => unknown): ScriptedTool => ({
    name,
    execute: (input) => {
      const value = String((input as Readonly<Record<string, unknown>>)[argument]);
      made.push(`${name} ${value}`);
      return execute(value);
    },
  });
  return {
    made,
    tools: [
      tool("Read", "file_path", () => "export const sum = (a, b) => a - b;"),
      tool("Edit", "file_path", (path) => `edited ${path}`),
      tool("Bash", "command", runCommand),
    ],
  };
}

/** This shell reports a failure as plain data: no exception, no flag, only an exit code. */
function runCommand(command: string): object {
  if (command.startsWith("npx vitest")) return { stdout: PASSING, stderr: "", exitCode: 0 };
  if (command.startsWith("git fetch"))
    return { stdout: "", stderr: "error: cannot open '.git/FETCH_HEAD': Read-only file system", exitCode: 128 };
  return { stdout: `output of ${command}`, stderr: "", exitCode: 0 };
}

export const read = (path: string) => ({ tool: "Read", input: { file_path: path } });
export const edit = (path: string) => ({
  tool: "Edit",
  input: { file_path: path, old_string: "a - b", new_string: "a + b" },
});
export const bash = (command: string) => ({ tool: "Bash", input: { command } });
