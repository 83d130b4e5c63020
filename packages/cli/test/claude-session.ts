import { appendFileSync, mkdirSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";

/** A session of Claude Code that a test writes as the agent does: one record after the other. */
export interface ClaudeSession {
  readonly path: string;
  readonly prompt: (text: string) => void;
  /** A call and its result. */
  readonly call: (command: string, output: string) => void;
  readonly edit: (file: string) => void;
  readonly says: (text: string) => void;
}

/** Starts a session in a project of a home. */
export function createClaudeSession(
  home: string,
  folder: string,
  { id, clock = Date.now }: { readonly id: string; readonly clock?: () => number },
): ClaudeSession {
  const path = join(home, ".claude/projects", folder.replaceAll("/", "-"), `${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  let number = 0;
  const write = (record: object): void => {
    const at = new Date(clock());
    number += 1;
    const frame = { cwd: folder, sessionId: id, uuid: `u${String(number)}`, timestamp: at.toISOString() };
    appendFileSync(path, `${JSON.stringify({ ...record, ...frame })}\n`);
    utimesSync(path, at, at);
  };
  const answer = (content: object, stop: string): void => {
    write({
      type: "assistant",
      message: {
        id: `m${String(number)}`,
        role: "assistant",
        model: "model",
        content: [content],
        stop_reason: stop,
        usage: { input_tokens: 1000, output_tokens: 10 },
      },
    });
  };
  const use = (name: string, input: object, output: string): void => {
    const call = `c${String(number)}`;
    answer({ type: "tool_use", id: call, name, input }, "tool_use");
    write({
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: call, content: output }] },
    });
  };
  return {
    path,
    prompt: (text) => {
      write({ type: "user", message: { role: "user", content: text } });
    },
    call: (command, output) => {
      use("Bash", { command }, output);
    },
    edit: (file) => {
      use("Edit", { file_path: file, old_string: "a", new_string: `b${String(number)}` }, "The file was updated.");
    },
    says: (text) => {
      answer({ type: "text", text }, "end_turn");
    },
  };
}
