import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentOf, hookAgents } from "../hook-agents.ts";
import type { AgentName, HookAnswer, HookEvent } from "../hook-event.ts";
import type { Payload } from "../payload.ts";

interface Recorded {
  readonly event?: string;
  readonly payload: Payload;
}

const fixtures = join(import.meta.dirname, "__fixtures__");
const print = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function payloadsOf(agent: AgentName): readonly Recorded[] {
  return JSON.parse(readFileSync(join(fixtures, `${agent}.json`), "utf8")) as readonly Recorded[];
}

/** Every capability at every event, so that a golden file shows all answers an agent can get. */
const answers: Readonly<Record<string, HookAnswer>> = {
  nudge: { nudge: "NUDGE" },
  refuse: { refuse: "REFUSE" },
  veto: { veto: "VETO" },
  stop: { stop: "STOP" },
};

describe.each(Object.values(hookAgents))("$title", (agent) => {
  const recorded = payloadsOf(agent.name);
  const events = recorded.map(({ event, payload }) => agent.read(payload, event));

  it("reads the recorded payloads as hook events", async () => {
    await expect(print(events)).toMatchFileSnapshot(join(fixtures, `${agent.name}.events.json`));
  });

  it("recognizes its own payloads, and no payload means another agent", () => {
    for (const { payload } of recorded) expect(agentOf(payload, agent.name).name).toBe(agent.name);
  });

  it("writes every answer the capability table promises, and no other", async () => {
    const written = Object.entries(agent.events).flatMap(([name, can]) => {
      const event = events.find((one) => one.name === name) ?? documented(agent.name, name);
      return Object.entries(answers).map(([kind, answer]) => {
        const output = agent.write(event, answer);
        expect([name, kind, output !== undefined]).toEqual([name, kind, can.includes(kind as "nudge")]);
        return { event: name, kind, output };
      });
    });
    const golden = written.filter(({ output }) => output !== undefined);
    await expect(print(golden)).toMatchFileSnapshot(join(fixtures, `${agent.name}.answers.json`));
  });

  it("answers nothing when there is nothing to say", () => {
    for (const event of events) expect(agent.write(event, {})).toBeUndefined();
  });

  it.each([{}, { hook_event_name: 7 }, { session_id: null, tool_input: "x" }, { hook_event_name: "Unknown" }])(
    "reads the payload %j without failing",
    (payload) => {
      expect(agent.read(payload as Payload).kind).toBe("ignored");
    },
  );
});

/** Events that the recorded runs did not have, after the vendors' documentation. */
function documented(agent: AgentName, name: string): HookEvent {
  const base = { session_id: "s", cwd: "/p", hook_event_name: name, conversation_id: "s", sessionId: "s", event: name };
  return hookAgents[agent].read({ ...base, agent_id: "a", tool_name: "Bash", toolName: "bash", tool: "bash" }, name);
}

describe("A compaction", () => {
  it.each([
    ["claude-code", { hook_event_name: "PostCompact", session_id: "s", trigger: "auto" }, "PostCompact"],
    ["codex", { hook_event_name: "PostCompact", session_id: "s", trigger: "auto", turn_id: "t" }, "PostCompact"],
    ["copilot-cli", { sessionId: "s", timestamp: 1, trigger: "auto" }, "preCompact"],
    ["gemini-cli", { hook_event_name: "PreCompress", session_id: "s", trigger: "manual" }, "PreCompress"],
    ["opencode", { hook: "opencode", event: "compacted", session: "s" }, "compacted"],
    ["pi", { hook: "pi", event: "compacted", session: "s", reason: "threshold" }, "compacted"],
  ] as const)("is known from the hooks of %s", (agent, payload, name) => {
    expect(hookAgents[agent].read(payload, name).kind).toBe("context.compacted");
    expect(hookAgents[agent].events).toHaveProperty(name);
  });

  it("is not what Gemini CLI asks about before every model call", () => {
    const asked = { hook_event_name: "PreCompress", session_id: "s", trigger: "auto" };
    expect(hookAgents["gemini-cli"].read(asked).kind).toBe("ignored");
  });
});

describe("Claude Code", () => {
  const read = (payload: Payload): HookEvent => hookAgents["claude-code"].read({ session_id: "s", ...payload });

  it.each([
    [{ source: "user", prompt: "go" }, true],
    [{ prompt: "go" }, true],
    [{ source: "loop_wakeup", prompt: "go" }, false],
    [{ prompt: "<task-notification>\n<task-id>b1</task-id>" }, false],
  ])("tells prompts of people from prompts of machines: %j", (payload, byPerson) => {
    expect(read({ hook_event_name: "UserPromptSubmit", ...payload })).toMatchObject({ byPerson });
  });

  it("counts background tasks and crons of a Stop as open work", () => {
    const event = read({ hook_event_name: "Stop", background_tasks: [{ status: "running" }], session_crons: [{}] });
    expect(event).toMatchObject({ kind: "finish.asked", openWork: 2 });
  });

  it("takes a failed turn for no finish", () => {
    expect(read({ hook_event_name: "StopFailure", error: "overloaded" })).toMatchObject({ kind: "turn.failed" });
  });

  it("sees plan mode", () => {
    expect(read({ hook_event_name: "Stop", permission_mode: "plan" }).planning).toBe(true);
  });
});

describe("Gemini CLI", () => {
  const read = (llmContent: string): HookEvent =>
    hookAgents["gemini-cli"].read({
      hook_event_name: "AfterTool",
      tool_name: "run_shell_command",
      tool_response: { llmContent },
    });

  it.each([
    ["<untrusted_context>\nOutput: a\nb\nExit Code: 3\nProcess Group PGID: 9\n</untrusted_context>", "a\nb", 3],
    ["<untrusted_context>\nOutput: (empty)\nProcess Group PGID: 9\n</untrusted_context>", "", 0],
    [
      "<untrusted_context>\nOutput: a\nSignal: 9\nProcess Group PGID: 9\n</untrusted_context>",
      "a\nSignal: 9",
      undefined,
    ],
    ["Command moved to background (PID: 9).", "Command moved to background (PID: 9).", undefined],
    ["Output: Exit Code: none", "Exit Code: none", undefined],
  ])("reads what a command printed and how it ended from %j", (text, output, exitCode) => {
    const event = read(text);
    expect(event).toMatchObject({ output, outcome: (exitCode ?? 0) === 0 ? "ok" : "error" });
    expect("exitCode" in event ? event.exitCode : undefined).toBe(exitCode);
  });
});

describe("a command of Gemini CLI in the background", () => {
  it("has not ended", () => {
    const payload = {
      tool_input: { is_background: true },
      tool_response: { llmContent: "Output: \nProcess Group PGID: 9" },
    };
    const about = { hook_event_name: "AfterTool", tool_name: "run_shell_command" };
    expect(hookAgents["gemini-cli"].read({ ...about, ...payload })).not.toHaveProperty("exitCode");
  });
});

describe("Cursor with hooks of Claude Code", () => {
  const payload = {
    conversation_id: "c",
    workspace_roots: ["/p"],
    cursor_version: "3.7",
    hook_event_name: "PreToolUse",
  };

  it("is recognized by its payload, whatever the hook was installed for", () => {
    const agent = agentOf({ ...payload, tool_name: "Shell", tool_input: { command: "ls" } }, "claude-code");
    expect(agent.name).toBe("cursor");
    const event = agent.read({ ...payload, tool_name: "Shell", tool_input: { command: "ls" } });
    expect(event).toMatchObject({ kind: "tool.started", tool: "Shell", cwd: "/p", session: "c" });
  });
});

describe("exitCodeIn of Codex", () => {
  const line = (id: string, code: number): string =>
    JSON.stringify({ type: "event_msg", payload: { type: "item_completed", item: { id, exit_code: code } } });

  it.each([
    [[line("call_1", 0), line("call_2", 3)], "call_2", 3],
    [[line("call_1", 0), line("call_2", 3)], "call_1", 0],
    [[line("call_1", 0)], "call_9", undefined],
    [['{"id":"call_1"}'], "call_1", undefined],
    [[], "", undefined],
  ] as const)("finds the exit code of a call in Codex's log", (lines, call, code) => {
    expect(hookAgents.codex.exitCodeIn?.(lines.join("\n"), call)).toBe(code);
  });
});

describe("the plugin folder that two agents read", () => {
  it.each([
    [{ hook_event_name: "SessionStart", transcript_path: "/u/.codex/sessions/rollout-2026-id.jsonl" }, "codex"],
    [{ hook_event_name: "Stop", turn_id: "t" }, "codex"],
    [{ hook_event_name: "Stop", prompt_id: "t", transcript_path: "/u/.claude/projects/p/s.jsonl" }, "claude-code"],
  ] as const)("decides by the payload %j", (payload, name) => {
    expect(agentOf(payload, "auto").name).toBe(name);
  });
});
