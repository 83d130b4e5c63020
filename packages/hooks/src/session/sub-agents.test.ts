import type { RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { openSession, passing } from "../../test/session-kit.ts";
import type { HookAnswer } from "../hook-event.ts";
import { hookAgents } from "../hook-agents.ts";

const STUCK = { tool: "run_shell_command", input: { command: "npm run biuld" } };
const DELEGATE = { tool: "invoke_agent", input: { agent_name: "generalist", prompt: "Look around." } };

/** A session of Gemini CLI whose parent waits for a sub-agent. */
function delegating(mode: "nudge" | "gate" = "nudge") {
  const kit = openSession({ agent: "gemini-cli", mode });
  kit.prompt();
  kit.send({ kind: "tool.started", ...DELEGATE });
  const [parent] = kit.runs;
  const call = (what: { tool: string; input: object }, result: object = {}): HookAnswer => {
    kit.send({ kind: "tool.started", ...what });
    return kit.send({ kind: "tool.ended", ...what, outcome: "ok", output: "", ...result });
  };
  const report = (text: string): HookAnswer =>
    kit.send({ kind: "tool.ended", ...DELEGATE, outcome: "ok", output: [{ text }] });
  const failed = { outcome: "error", exitCode: 1, output: 'Missing script: "biuld"' };
  return { ...kit, parent: parent!, call, report, stuck: () => call(STUCK, failed) };
}

const toolsOf = (log: readonly RunEvent[]): readonly string[] =>
  log.flatMap((event) => (event.type === "tool.finished" ? [event.tool] : []));

describe("a sub-agent inside a call of its parent", () => {
  it("has a run with the calls made meanwhile, its task and its last words", () => {
    const { call, report, log, children } = delegating();
    call({ tool: "run_shell_command", input: { command: "ls" } });
    report("Nothing to do.");
    expect(toolsOf(log)).toEqual(["invoke_agent"]);
    const [child = []] = children;
    expect(toolsOf(child)).toEqual(["run_shell_command"]);
    expect(child[0]).toMatchObject({ task: { text: "Look around." }, parent: { call: "hook-1" } });
    expect(child.find(({ type }) => type === "message.sent")).toMatchObject({ excerpt: "Nothing to do." });
    expect(child.at(-1)).toMatchObject({ type: "run.finished" });
  });

  it("is nudged itself, and its parent is not, not even once it is over", () => {
    const { stuck, report, call } = delegating();
    const nudges = Array.from({ length: 4 }, stuck).flatMap(({ nudge }) => nudge ?? []);
    expect(nudges.join("\n")).toContain("failed 3 times");
    expect(report("I could not.")).toEqual({});
    expect(call({ tool: "read_file", input: { file_path: "a.ts" } })).toEqual({});
  });

  it("leaves its edits to its parent, who is sent back where the sub-agent cannot be", () => {
    const { call, report, finish } = delegating("gate");
    call({ tool: "replace", input: { file_path: "src/a.ts", old_string: "a", new_string: "b" } });
    report("Done.");
    expect(finish().veto).toContain("Run the tests");
    call({ tool: "run_shell_command", input: { command: "npx vitest run" } }, { exitCode: 0, ...passing });
    expect(finish({ continued: true })).toEqual({});
  });

  it("does not take a call that its parent had started before", () => {
    const { send, log, call, children } = (() => {
      const kit = openSession({ agent: "gemini-cli", mode: "nudge" });
      kit.prompt();
      kit.send({ kind: "tool.started", ...STUCK });
      kit.send({ kind: "tool.started", ...DELEGATE });
      return { ...kit, call: () => kit.send({ kind: "tool.ended", ...STUCK, outcome: "ok", output: "" }) };
    })();
    call();
    send({ kind: "tool.ended", ...DELEGATE, outcome: "ok", output: [] });
    expect(toolsOf(log)).toEqual(["run_shell_command", "invoke_agent"]);
    expect(toolsOf(children[0] ?? [])).toEqual([]);
  });

  it("has the answers of its own log", () => {
    const { send, children } = delegating();
    const usage = { inputTokens: 70, outputTokens: 7 };
    send({ kind: "tool.ended", ...DELEGATE, outcome: "ok", output: [], subagentAnswers: [{ usage }, { usage }] });
    expect(children[0]?.filter(({ type }) => type === "model.answered")).toMatchObject([{ usage }, { usage }]);
  });
});

describe("a sub-agent that cannot be sent back", () => {
  /** A sub-agent of opencode changes a file, tests nothing and is done. */
  function left(mode: "nudge" | "gate") {
    const kit = openSession({ agent: "opencode", mode });
    const task = { tool: "task", call: "task-1", input: { prompt: "Look around." } };
    const of = { name: "subagent", subagent: "sub" };
    const input = { filePath: "src/a.ts", oldString: "a", newString: "b" };
    kit.prompt();
    kit.send({ kind: "tool.started", ...task });
    kit.send({ kind: "subagent.started", id: "sub", task: "Look around.", ...of });
    kit.send({ kind: "tool.started", call: "e", tool: "edit", input, ...of });
    kit.send({ kind: "tool.ended", call: "e", tool: "edit", input, outcome: "ok", output: "", ...of });
    const end = (): HookAnswer => kit.send({ kind: "subagent.ended", id: "sub", text: "Done.", ...of });
    const result = (): HookAnswer => kit.send({ kind: "tool.ended", ...task, outcome: "ok", output: "Done." });
    return { ...kit, end, result };
  }

  it("leaves what is open to its parent, who reads it with the result, once", () => {
    const { end, result, shell, log } = left("gate");
    expect(end()).toEqual({});
    expect(result().nudge).toContain("Run the tests");
    expect(log.some((event) => event.type === "event.recorded" && event.name === "hooks.subagent-left")).toBe(true);
    expect(shell("ls")).toEqual({});
  });

  it("leaves nothing open once its parent has tested", () => {
    const { end, result, shell } = left("gate");
    result();
    end();
    expect(shell("npx vitest run", passing)).toEqual({});
  });

  it("leaves nothing open in a mode without vetoes", () => {
    const { end, result } = left("nudge");
    end();
    expect(result()).toEqual({});
  });

  it("leaves it as well where its events do not say whose they are", () => {
    const { call, report } = delegating("gate");
    call({ tool: "replace", input: { file_path: "src/a.ts", old_string: "a", new_string: "b" } });
    expect(report("Done.").nudge).toContain("Run the tests");
  });
});

describe("an agent's own loop detector", () => {
  it.each([
    [4, "aborted_stagnation"],
    [3, "interrupted"],
  ])("after %i equal calls and no last word, the run ends as %s", (times, reason) => {
    const { prompt, send, runs } = openSession({ agent: "gemini-cli", mode: "observe" });
    prompt();
    for (let n = 0; n < times; n += 1) {
      send({ kind: "tool.started", ...STUCK });
      send({ kind: "tool.ended", ...STUCK, outcome: "ok", output: String(n) });
    }
    send({ kind: "session.ended" });
    expect(runs[0]?.outcome).toMatchObject({ reason });
  });

  it("is not what ends a session that finished", () => {
    const { prompt, send, runs, finish } = openSession({ agent: "gemini-cli", mode: "observe" });
    prompt();
    for (let n = 0; n < 5; n += 1) send({ kind: "tool.ended", ...STUCK, outcome: "ok", output: "" });
    finish();
    send({ kind: "session.ended" });
    expect(runs[0]?.outcome).toMatchObject({ reason: "done" });
  });
});

describe("a sub-agent of Copilot CLI", () => {
  const read = (name: string, more: object) =>
    hookAgents["copilot-cli"].read(
      { sessionId: "sub", timestamp: 7, agentId: "sub", parentAgentId: "main", ...more },
      name,
    );

  it("belongs to the session of its parent", () => {
    const about = { session: "main", subagent: "sub" };
    expect(read("userPromptSubmitted", { prompt: "Look." })).toMatchObject({
      ...about,
      kind: "subagent.started",
      task: "Look.",
    });
    expect(read("preToolUse", { toolName: "bash", toolArgs: {} })).toMatchObject({ ...about, kind: "tool.started" });
    expect(read("agentStop", {}).kind).toBe("ignored");
    expect(read("subagentStop", { sessionId: "main", response: "Done." })).toMatchObject({
      ...about,
      kind: "subagent.ended",
      id: "sub",
      text: "Done.",
    });
  });

  it("leaves the last words of its parent to its parent", () => {
    const line = (content: string, more: object = {}): string =>
      JSON.stringify({ type: "assistant.message", data: { content }, ...more });
    const read = (...lines: readonly string[]) => hookAgents["copilot-cli"].lastWordsIn?.(lines.join("\n"));
    expect(read('{"cut', line("First."), line("I could not."), line("Sub.", { agentId: "sub" }))).toBe("I could not.");
    expect(read(line("Sub.", { agentId: "sub" }))).toBeUndefined();
    expect(read("")).toBeUndefined();
  });

  it("has the answers that the log of its parent names it in", () => {
    const line = (interactionType: string, more: object = {}) =>
      hookAgents["copilot-cli"].answerLog?.read(
        {
          type: "session.usage_record",
          data: { usage: { inputTokens: 1, outputTokens: 2, interactionType } },
          ...more,
        },
        { isSubagent: false },
      );
    expect(line("conversation-subagent", { agentId: "sub" })).toMatchObject({ subagent: "sub" });
    expect(line("conversation-agent")).not.toHaveProperty("subagent");
    expect(line("title")).toBeUndefined();
  });
});
