import { describe, expect, it } from "vitest";
import { parseTranscript } from "../../translation.ts";

const at = (second: number): string => new Date(1_795_000_000_000 + second * 1000).toISOString();
const call = (second: number): object => ({
  id: `m${String(second)}`,
  timestamp: at(second),
  type: "gemini",
  content: "",
  toolCalls: [{ id: `c${String(second)}`, name: "run_shell_command", args: { command: "ls" }, result: [] }],
});
const user = (second: number, text: string): object => ({
  id: `u${String(second)}`,
  timestamp: at(second),
  type: "user",
  content: [{ text }],
});
const WARNING = "System: Potential loop detected. Details: Repeated tool call: run_shell_command. Please step back.";

function read(...messages: readonly object[]) {
  const header = { sessionId: "s1", projectHash: "h", startTime: at(0) };
  const lines = [header, user(1, "List it."), ...messages].map((line) => JSON.stringify(line));
  return parseTranscript(lines.join("\n")).runs[0];
}

describe("Gemini CLI's loop detector", () => {
  it("ends a session that has nothing after its warning", () => {
    const run = read(call(2), call(3), user(4, WARNING));
    expect(run?.ending).toMatchObject({ reason: "aborted_stagnation" });
  });

  it("is not the user", () => {
    const run = read(call(2), user(4, WARNING));
    const prompts = run?.events.filter(({ type }) => type === "message.received") ?? [];
    expect(prompts.map((event) => ("text" in event ? event.text : ""))).not.toContain(WARNING);
  });

  it("ends nothing if the model answers, or the user does", () => {
    const answer = { id: "m9", timestamp: at(9), type: "gemini", content: "Two files.", toolCalls: [] };
    expect(read(call(2), user(4, WARNING), answer)?.ending.reason).not.toBe("aborted_stagnation");
    expect(read(call(2), user(4, WARNING), user(9, "Go on."))?.ending.reason).not.toBe("aborted_stagnation");
  });
});
