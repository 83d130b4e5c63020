import { codingRunOptions } from "@phasekit/coding";
import { createRun, type Mode, type Run, type RunEvent } from "@phasekit/core";
import { hookAgents } from "../src/hook-agents.ts";
import type { AgentName, HookAnswer, HookEvent } from "../src/hook-event.ts";
import { createHookSession, type HookSession } from "../src/session/hook-session.ts";
import type { Payload } from "../src/payload.ts";
import { selfProtection } from "../src/self-protection.ts";

/** A session with an agent's own payloads, for tests. */
export interface SessionKit {
  readonly session: HookSession;
  readonly log: RunEvent[];
  readonly runs: Run[];
  /** The events of its sub-agents' runs, in the order they began. */
  readonly children: readonly (readonly RunEvent[])[];
  /** Sends one neutral event under the agent's name for it. */
  readonly send: (event: Partial<HookEvent> & { readonly kind: HookEvent["kind"] }) => HookAnswer;
  readonly prompt: (text?: string) => HookAnswer;
  readonly edit: (file?: string) => HookAnswer;
  readonly shell: (command: string, result?: { readonly output?: string; readonly exitCode?: number }) => HookAnswer;
  readonly finish: (more?: object) => HookAnswer;
}

const NAMES: Readonly<Record<AgentName, Readonly<Partial<Record<HookEvent["kind"], string>>>>> = {
  "claude-code": {
    "session.started": "SessionStart",
    "prompt.submitted": "UserPromptSubmit",
    "tool.started": "PreToolUse",
    "tool.ended": "PostToolUse",
    "batch.ended": "PostToolBatch",
    "finish.asked": "Stop",
  },
  codex: {
    "session.started": "SessionStart",
    "prompt.submitted": "UserPromptSubmit",
    "tool.started": "PreToolUse",
    "tool.ended": "PostToolUse",
    "finish.asked": "Stop",
  },
  "gemini-cli": {
    "session.started": "SessionStart",
    "prompt.submitted": "BeforeAgent",
    "tool.started": "BeforeTool",
    "tool.ended": "AfterTool",
    "finish.asked": "AfterAgent",
  },
  "copilot-cli": {
    "session.started": "sessionStart",
    "prompt.submitted": "userPromptSubmitted",
    "tool.started": "preToolUse",
    "tool.ended": "postToolUse",
    "finish.asked": "agentStop",
  },
  cursor: {
    "session.started": "sessionStart",
    "prompt.submitted": "beforeSubmitPrompt",
    "tool.started": "preToolUse",
    "tool.ended": "postToolUse",
    "finish.asked": "stop",
  },
  opencode: {
    "prompt.submitted": "prompt",
    "tool.started": "tool.before",
    "tool.ended": "tool.after",
    "finish.asked": "finish",
  },
  pi: {
    "session.started": "start",
    "prompt.submitted": "prompt",
    "tool.started": "tool.before",
    "tool.ended": "tool.after",
    "finish.asked": "finish",
  },
};

export function openSession({
  agent = "claude-code",
  mode = "gate",
  readable = true,
}: { readonly agent?: AgentName; readonly mode?: Mode; readonly readable?: boolean } = {}): SessionKit {
  let time = 1000;
  const log: RunEvent[] = [];
  const runs: Run[] = [];
  const children: RunEvent[][] = [];
  const base = {
    clock: () => (time += 10),
    mode,
    policies: [selfProtection()],
    maxVetoes: { sinceProgress: 2, inAll: 1000 },
  };
  const session = createHookSession({
    agent: hookAgents[agent],
    mode,
    readable,
    openRun: ({ task }) => {
      const run = createRun(
        codingRunOptions({
          ...base,
          id: `run-${String(runs.length + 1)}`,
          ...(task !== undefined && { task: { text: task } }),
        }),
      ) as unknown as Run;
      run.subscribe((step) => log.push(...step));
      runs.push(run);
      return run;
    },
    openChild: (run, { call, task }) => {
      const about = { ...(call !== undefined && { call }), ...(task !== undefined && { task: { text: task } }) };
      const child = run.child({ ...codingRunOptions(base), ...about } as object) as unknown as Run;
      const events: RunEvent[] = [];
      child.subscribe((step) => events.push(...step));
      children.push(events);
      return child;
    },
  });
  const send: SessionKit["send"] = (event) =>
    session.handle({ agent, session: "s", name: NAMES[agent][event.kind] ?? "", ...event } as HookEvent);
  let calls = 0;
  const call = (tool: string, input: object, result: Payload): HookAnswer => {
    const id = `call-${String((calls += 1))}`;
    const asked = send({ kind: "tool.started", call: id, tool, input });
    if (asked.refuse !== undefined) {
      if (hookAgents[agent].hasBatches) send({ kind: "batch.ended", calls: [{ call: id, tool, input }] });
      return asked;
    }
    const ended = send({ kind: "tool.ended", call: id, tool, input, outcome: "ok", ...result });
    return hookAgents[agent].hasBatches ? send({ kind: "batch.ended", calls: [{ call: id, tool, input }] }) : ended;
  };
  return {
    session,
    log,
    runs,
    children,
    send,
    prompt: (text = "Fix sum.") => send({ kind: "prompt.submitted", text, byPerson: true }),
    edit: (file = "src/sum.ts") =>
      call("Edit", { file_path: file, old_string: `a${String(calls)}`, new_string: "b" }, { output: "edited" }),
    shell: (command, { output = "", exitCode = 0 } = {}) =>
      call("Bash", { command }, { output, exitCode, outcome: exitCode === 0 ? "ok" : "error" }),
    finish: (more = {}) =>
      send({ kind: "finish.asked", text: "All done.", continued: false, openWork: 0, aborted: false, ...more }),
  };
}

/** The tests pass. */
export const passing = { output: "Test Files  1 passed (1)\n     Tests  3 passed (3)\n" };
