import { type Options, query, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import {
  createRun,
  definePolicy,
  nudge,
  refuse,
  type RunEvent,
  type RunPort,
  stop,
  trackRun,
  veto,
} from "@phasekit/core";
import {
  type ClaudeTool,
  scriptedClaude,
  type ScriptedClaude,
  type ScriptedClaudeOptions,
} from "@phasekit/tooling/scripted-claude";
import { describe, expect, it } from "vitest";
import { type PhaseOptions, queryFinished, withPhases } from "../src/index.ts";

const usage = { input: 10, output: 2 };
const look = { calls: [{ tool: "look", input: {} }], usage };
const done = { text: "Done.", usage };
const tools: readonly ClaudeTool[] = [{ name: "look", execute: () => "seen" }];

function eventsOf(run: Pick<RunPort, "subscribe">): readonly RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return events;
}

const ofType = <K extends RunEvent["type"]>(events: readonly RunEvent[], type: K) =>
  events.filter((event): event is Extract<RunEvent, { type: K }> => event.type === type);

const optionsFor = (claude: ScriptedClaude, options: Options = {}): Options => ({
  spawnClaudeCodeProcess: claude.spawn,
  pathToClaudeCodeExecutable: "/scripted/claude",
  settingSources: [],
  ...options,
});

interface Scene extends Partial<ScriptedClaudeOptions> {
  readonly script: ScriptedClaudeOptions["script"];
  readonly options?: Options;
  readonly phases?: PhaseOptions;
}

/** Runs a query to its end. */
async function play(run: RunPort, { script, options, phases, ...more }: Scene) {
  const claude = scriptedClaude({ tools, script, ...more });
  const events = eventsOf(run);
  const ask = withPhases(run, query, phases);
  const types: string[] = [];
  let thrown: unknown;
  try {
    for await (const { type } of ask({ prompt: "Go.", options: optionsFor(claude, options) })) types.push(type);
  } catch (error) {
    thrown = error;
  }
  return { claude, events, types, thrown };
}

describe("a query with phases", () => {
  it("runs the user's hooks beside ours, and does not change the given options", async () => {
    const seen: string[] = [];
    const options: Options = {
      hooks: {
        PreToolUse: [
          {
            matcher: "look",
            hooks: [
              (input) => {
                seen.push(input.hook_event_name);
                return Promise.resolve({});
              },
            ],
          },
        ],
      },
    };
    const before = JSON.stringify(options);
    const run = createRun();
    await play(run, { script: [look, done], options });
    expect([seen, run.view.toolCalls, JSON.stringify(options)]).toEqual([["PreToolUse"], 1, before]);
  });

  it("records a call as denied that a hook of the user denies", async () => {
    const deny = { hookEventName: "PreToolUse" as const, permissionDecision: "deny" as const };
    const hooks: Options["hooks"] = {
      PreToolUse: [
        { hooks: [() => Promise.resolve({ hookSpecificOutput: { ...deny, permissionDecisionReason: "No." } })] },
      ],
    };
    const { events } = await play(createRun(), { script: [look, done], options: { hooks } });
    expect(ofType(events, "tool.finished")).toMatchObject([
      { outcome: "error", output: "PreToolUse:look hook error: No." },
    ]);
  });

  it("records events in their order, however slowly the caller reads", async () => {
    const claude = scriptedClaude({ tools, script: [look, look, done] });
    const run = createRun();
    const events = eventsOf(run);
    const ask = withPhases(run, query);
    for await (const message of ask({ prompt: "Go.", options: optionsFor(claude) })) {
      expect(message.type).not.toBe("stream_event");
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect(ofType(events, "model.answered").map(({ turn }) => turn)).toEqual([1, 2, 3]);
    const turns = events
      .map(({ type }) => type)
      .filter((type) => type !== "message.received" && type !== "run.started");
    const turn = ["turn.started", "model.answered", "tool.requested", "tool.finished"];
    expect(turns).toEqual([...turn, ...turn, "turn.started", "model.answered", "message.sent", "finish.requested"]);
  });

  it("ends the process and leaves the run to the caller if the caller leaves the loop", async () => {
    const claude = scriptedClaude({ tools, script: [look, look, look, done] });
    const run = createRun();
    const ask = withPhases(run, query);
    for await (const { type } of ask({ prompt: "Go.", options: optionsFor(claude) })) if (type === "assistant") break;
    expect(run.view.status).toBe("running");
    run.end({ reason: "cancelled" });
    expect(run.outcome?.reason).toBe("cancelled");
  });

  it("ends the run for the reason of the result, and the caller gets the SDK's error", async () => {
    const run = createRun();
    const { thrown } = await play(run, { script: [look, done], options: { maxTurns: 1 } });
    expect(String(thrown)).toContain("maximum number of turns");
    expect(run.outcome).toMatchObject({ reason: "step_limit", verified: false });
    const failing = createRun();
    await play(failing, { script: [{ fails: { status: 429, code: "rate_limit_error" } }] });
    expect(failing.outcome?.reason).toBe("rate_limit");
  });

  it("records what the query has cost", async () => {
    const run = createRun();
    const { events } = await play(run, { script: [done], costUsd: 0.25 });
    const found = events.find((event) => queryFinished.is(event));
    expect(found).toMatchObject({ data: { costUsd: 0.25, terminalReason: "completed" } });
    run.end();
    expect(ofType(events, "finish.requested")).toHaveLength(1);
  });

  it("leaves a query that is done to trackRun, also if the caller returns at the result", async () => {
    const claude = scriptedClaude({ tools, script: [done] });
    const run = createRun();
    const text = await trackRun(run, async () => {
      for await (const message of withPhases(run, query)({ prompt: "Go.", options: optionsFor(claude) }))
        if (message.type === "result" && message.subtype === "success") return message.result;
      return undefined;
    });
    expect([text, run.outcome?.reason]).toEqual(["Done.", "done"]);
  });

  it("refuses calls in the closing turn, then stops the agent", async () => {
    const once = definePolicy({ name: "once", decide: { "tool.finished": () => stop({ how: "wrap-up" }) } });
    const run = createRun({ policies: [once] });
    const { claude, events } = await play(run, { script: () => look });
    expect(claude.requests.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "none"]);
    expect(ofType(events, "tool.finished")).toHaveLength(1);
    expect(claude.hooks.at(-1)).toMatchObject({ name: "PostToolBatch", answer: { continue: false } });
    run.end();
    expect(run.outcome?.reason).toBe("policy_stop");
  });

  it("does not begin the prompt of a run that was stopped before", async () => {
    const run = createRun();
    run.stop({ reason: "policy_stop", how: "halt" });
    const { claude } = await play(run, { script: [look, done] });
    expect(claude.requests).toEqual([]);
    run.end();
    expect(run.outcome?.reason).toBe("policy_stop");
  });

  it("closes the process of a query that is returned before it is read", async () => {
    const claude = scriptedClaude({ tools, script: () => look });
    const run = createRun();
    const asked = withPhases(run, query)({ prompt: "Go.", options: optionsFor(claude) });
    expect(await asked.return()).toMatchObject({ done: true });
    expect(await asked.next()).toMatchObject({ done: true });
    expect(run.view.status).toBe("running");
  });

  it("takes a further prompt of a streamed input into the same run", async () => {
    const claude = scriptedClaude({ tools, script: [look, done, done] });
    const run = createRun();
    const events = eventsOf(run);
    let next: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      next = resolve;
    });
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      const message = (content: string) =>
        ({ type: "user", message: { role: "user", content }, parent_tool_use_id: null }) as SDKUserMessage;
      yield message("Go.");
      await first;
      yield message("And now the rest.");
    }
    let results = 0;
    for await (const { type } of withPhases(run, query)({ prompt: prompts(), options: optionsFor(claude) }))
      if (type === "result" && ++results === 1) next();
    expect([results, run.view.turn, run.view.status]).toEqual([2, 3, "running"]);
    expect(ofType(events, "message.received").map(({ excerpt }) => excerpt)).toEqual(["Go.", "And now the rest."]);
    expect(ofType(events, "finish.requested")).toHaveLength(2);
  });

  it("counts an answer that Claude Code asked for by itself as a turn", async () => {
    const run = createRun();
    await play(run, { script: [{ text: "Half", cutOff: true, usage }, done] });
    expect([run.view.turn, run.view.usage.modelCalls]).toEqual([2, 2]);
  });

  it("leaves out the output tokens it does not know without partial messages", async () => {
    const run = createRun();
    const { events, claude } = await play(run, { script: [look, done], phases: { partialMessages: false } });
    expect(ofType(events, "model.answered").map(({ usage: known }) => known)).toEqual([
      { inputTokens: 10, cachedInputTokens: 0, cacheWriteTokens: 0 },
      { inputTokens: 10, cachedInputTokens: 0, cacheWriteTokens: 0 },
    ]);
    expect(claude.requests).toHaveLength(2);
  });
});

describe("a query whose history is summarized", () => {
  /** A call during which Claude Code compacts: its hooks and its message come in this order. */
  const compacting: ClaudeTool = {
    name: "look",
    execute: async (_input, { hook, emit }) => {
      await hook("SubagentStop", { agent_id: "summarizer", agent_type: "" });
      await hook("PostCompact", { trigger: "auto", compact_summary: "All of it." });
      const compact_metadata = { trigger: "auto", pre_tokens: 900, post_tokens: 100 };
      emit({ type: "system", subtype: "compact_boundary", compact_metadata });
      return "seen";
    },
  };

  it("records it once, with tokens and summary, and no sub-agent that never started", async () => {
    const { events } = await play(createRun(), { script: [look, done], tools: [compacting] });
    expect(ofType(events, "context.compacted")).toMatchObject([
      { trigger: "auto", tokensBefore: 900, tokensAfter: 100, summary: "All of it." },
    ]);
    expect(ofType(events, "child.started")).toEqual([]);
  });

  it("records it by the hook if the messages are not watched", async () => {
    const claude = scriptedClaude({ tools: [compacting], script: [look, done] });
    const run = createRun();
    const events = eventsOf(run);
    const options = withPhases(run, optionsFor(claude));
    for await (const { type } of query({ prompt: "Go.", options })) expect(type).not.toBe("stream_event");
    expect(ofType(events, "context.compacted")).toMatchObject([{ trigger: "auto", summary: "All of it." }]);
  });
});

describe("the options of a query with phases", () => {
  it("nudge, refuse and veto without the messages", async () => {
    const policy = definePolicy({
      name: "all",
      initial: () => ({ looks: 0 }),
      observe: {
        "tool.finished": (state) => {
          state.looks += 1;
        },
      },
      decide: {
        "turn.started": ({ turn }) => (turn === 2 ? nudge("Hurry.") : undefined),
        "tool.requested": (_run, { looks }) => (looks > 0 ? refuse("Enough.") : undefined),
        "finish.requested": (run) => (run.turn < 4 ? veto("Not yet.") : undefined),
      },
    });
    const claude = scriptedClaude({ tools, script: [look, look, done, done] });
    const run = createRun({ mode: "gate", policies: [policy] });
    const events = eventsOf(run);
    for await (const { type } of query({ prompt: "Go.", options: withPhases(run, optionsFor(claude)) }))
      expect(type).not.toBe("stream_event");
    const said = claude.requests.map(({ messages }) => messages.at(-1)?.text ?? "");
    expect(said[1]).toContain("Hurry.");
    expect(claude.requests[2]?.messages.find(({ text }) => text.includes("Enough."))?.role).toBe("tool");
    expect(said[3]).toContain("Not yet.");
    expect(ofType(events, "tool.refused")).toHaveLength(1);
    expect(claude.requests).toHaveLength(4);
  });
});

describe("a sub-agent", () => {
  type Ending = "SubagentStop" | "result of the call" | "notification" | "nothing";

  /** An agent tool as Claude Code runs it: the sub-agent's hooks and messages come from inside the call. */
  function agentTool(ending: Ending): ClaudeTool {
    return {
      name: "Agent",
      execute: async (_input, { call, hook, emit }) => {
        const agent = { agent_id: "agent-1", agent_type: "general-purpose" };
        const of = { parent_tool_use_id: call, agent_id: "agent-1" };
        await hook("SubagentStart", agent);
        const block = { type: "tool_use", id: "sub-1", name: "look", input: {} };
        const message = { id: "sub-msg-1", model: "m", content: [block], usage: { input_tokens: 7 } };
        emit({ type: "assistant", message, ...of });
        const made = { tool_name: "look", tool_input: {}, tool_use_id: "sub-1" };
        const asked = await hook("PreToolUse", { ...agent, ...made }, "sub-1");
        const isDenied = JSON.stringify(asked).includes("deny");
        if (!isDenied) await hook("PostToolUse", { ...agent, ...made, tool_response: "seen" }, "sub-1");
        await hook("PostToolBatch", { ...agent, tool_calls: [{ ...made, tool_response: "seen" }] });
        if (ending === "SubagentStop") await hook("SubagentStop", { ...agent, last_assistant_message: "Found." });
        if (ending === "notification")
          emit({ type: "system", subtype: "task_notification", task_id: "agent-1", status: "failed" });
        const isAsync = ending !== "result of the call";
        return { agentId: "agent-1", ...(isAsync && { isAsync, status: "async_launched" }) };
      },
    };
  }
  const script = [{ calls: [{ tool: "Agent", input: { prompt: "Look." } }], usage }, done];

  it.each([
    { ending: "SubagentStop", reason: "done" },
    { ending: "result of the call", reason: "done" },
    { ending: "notification", reason: "unknown" },
    { ending: "nothing", reason: "parent_ended" },
  ] as const)("is a child run, ended by $ending", async ({ ending, reason }) => {
    const run = createRun();
    const children: { readonly run: RunPort; readonly events: readonly RunEvent[] }[] = [];
    const child: PhaseOptions["child"] = (parent, agent) => {
      const made = parent.child({ ...(agent.call !== undefined && { call: agent.call }) });
      children.push({ run: made, events: eventsOf(made) });
      expect(agent).toMatchObject({ id: "agent-1", type: "general-purpose" });
      return made;
    };
    const { events } = await play(run, { script, tools: [...tools, agentTool(ending)], phases: { child } });
    expect(children).toHaveLength(1);
    expect(children[0]?.run.outcome?.reason).toBe(reason);
    expect(ofType(events, "child.finished")).toMatchObject([{ reason }]);
    const { events: seen } = children[0]!;
    expect(ofType(seen, "tool.finished")).toMatchObject([{ tool: "look", outcome: "ok" }]);
    expect(ofType(seen, "model.answered")).toMatchObject([{ toolCalls: 1, usage: { inputTokens: 7 } }]);
    // The parent has its own call alone.
    expect(ofType(events, "tool.finished").map(({ tool }) => tool)).toEqual(["Agent"]);
    expect(ofType(events, "child.started")).toMatchObject([{ call: ofType(events, "tool.requested")[0]?.call }]);
  });

  it("is not opened again by a message that comes after its end", async () => {
    const ended = agentTool("SubagentStop");
    const late: ClaudeTool = {
      name: "Agent",
      execute: async (input, context) => {
        const result = await ended.execute(input, context);
        const message = { id: "sub-msg-2", model: "m", content: [{ type: "text", text: "Late." }], usage: {} };
        context.emit({ type: "assistant", message, parent_tool_use_id: context.call, agent_id: "agent-1" });
        context.emit({ type: "system", subtype: "task_notification", task_id: "agent-1", status: "completed" });
        return result;
      },
    };
    const { events } = await play(createRun(), { script, tools: [...tools, late] });
    expect([ofType(events, "child.started").length, ofType(events, "child.finished").length]).toEqual([1, 1]);
  });

  it("is refused a call by the policies of its own run", async () => {
    const run = createRun({ mode: "gate" });
    const never = definePolicy({ name: "never", decide: { "tool.requested": () => refuse("Not here.") } });
    let child: RunPort | undefined;
    await play(run, {
      script,
      tools: [...tools, agentTool("SubagentStop")],
      phases: {
        child: (parent) => {
          child = parent.child({ policies: [never] });
          return child;
        },
      },
    });
    expect(child?.view.toolCalls).toBe(1);
    expect(child?.outcome?.reason).toBe("done");
  });
});

describe("a failing Phasekit", () => {
  it("changes nothing for the agent if the function for child runs throws", async () => {
    const { claude, thrown } = await play(createRun(), {
      script: [{ calls: [{ tool: "Agent", input: {} }], usage }, done],
      tools: [
        {
          name: "Agent",
          execute: async (_input, { hook }) => {
            await hook("SubagentStart", { agent_id: "a", agent_type: "x" });
            return { agentId: "a" };
          },
        },
      ],
      phases: {
        child: () => {
          throw new Error("broken");
        },
      },
    });
    expect([claude.requests.length, thrown]).toEqual([2, undefined]);
  });
});
