import { Command, isInterrupted, MemorySaver } from "@langchain/langgraph";
import { createRun, definePolicy, refuse, type RunEvent } from "@phasekit/core";
import { eventsToLines } from "@phasekit/core/testing";
import {
  type AgentMiddleware,
  contextEditingMiddleware,
  createAgent,
  createMiddleware,
  humanInTheLoopMiddleware,
  modelCallLimitMiddleware,
  modelFallbackMiddleware,
  modelRetryMiddleware,
  piiMiddleware,
  summarizationMiddleware,
  todoListMiddleware,
  toolCallLimitMiddleware,
  toolErrorMiddleware,
  toolRetryMiddleware,
} from "langchain";
import { describe, expect, it } from "vitest";
import { phaseMiddleware } from "../src/index.ts";
import { call, eventsOf, hurry, look, notYet, say, scriptChat, showMessages, typesOf } from "./scripted-chat.ts";

const WHY = "<phasekit>\nNot yet.\n</phasekit>";
const HURRY = "<phasekit>\nHurry.\n</phasekit>";

const finished = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "tool.finished" ? [`${event.outcome} ${String(event.output)}`] : []));

describe("Phasekit next to a middleware of LangChain", () => {
  const idle: Readonly<Record<string, () => AgentMiddleware>> = {
    "human in the loop": () => humanInTheLoopMiddleware({ interruptOn: { deploy: true } }) as AgentMiddleware,
    "a limit of model calls": () => modelCallLimitMiddleware({ runLimit: 20 }) as AgentMiddleware,
    "a limit of tool calls": () => toolCallLimitMiddleware({ runLimit: 20 }) as AgentMiddleware,
    "retries of models": () => modelRetryMiddleware({ maxRetries: 1, initialDelayMs: 1 }) as AgentMiddleware,
    "retries of tools": () => toolRetryMiddleware({ maxRetries: 1, initialDelayMs: 1 }) as AgentMiddleware,
    "errors of tools": () => toolErrorMiddleware({ onError: () => undefined }) as AgentMiddleware,
    "context editing": () => contextEditingMiddleware() as AgentMiddleware,
    "a todo list": () => todoListMiddleware() as AgentMiddleware,
    "personal data": () => piiMiddleware("email") as AgentMiddleware,
  };

  async function play(middleware: (phase: AgentMiddleware) => readonly AgentMiddleware[]) {
    const { model, sent } = await scriptChat([
      call("look"),
      call("look"),
      say("Done."),
      call("look"),
      say("Done now."),
    ]);
    const run = createRun({ mode: "gate", policies: [notYet, hurry], maxVetoes: { sinceProgress: 1, inAll: 1 } });
    const events = eventsOf(run);
    const agent = createAgent({ model, tools: [look()], middleware: middleware(phaseMiddleware(run)) });
    const { messages } = await agent.invoke({ messages: "go" }, { recursionLimit: 80 });
    return {
      lines: eventsToLines(events),
      state: showMessages(messages),
      wire: sent(4).filter((line) => !line.startsWith("system")),
    };
  }

  it.each(Object.entries(idle))("%s: nothing changes, in either order", async (_name, make) => {
    const alone = await play((phase) => [phase]);
    expect(alone.wire).toEqual([
      "user go",
      "assistant (look)",
      "tool seen",
      `user ${HURRY}`,
      "assistant (look)",
      "tool seen",
      "assistant Done.",
      `user ${WHY}`,
      "assistant (look)",
      "tool seen",
    ]);
    expect(await play((phase) => [phase, make()])).toEqual(alone);
    expect(await play((phase) => [make(), phase])).toEqual(alone);
  });

  it("all of them together", async () => {
    const alone = await play((phase) => [phase]);
    expect(await play((phase) => [phase, ...Object.values(idle).map((make) => make())])).toEqual(alone);
  });
});

describe("summarisation", () => {
  it.each(["first", "last"])(
    "rewrites the history, and nudges still come after all results: Phasekit %s",
    async (place) => {
      const { model, sent, server } = await scriptChat([call("look"), call("look"), call("look"), say("Done.")]);
      const summariser = await scriptChat(() => say("They looked."));
      const run = createRun({ policies: [hurry] });
      const summary = summarizationMiddleware({
        model: summariser.model,
        trigger: { messages: 7 },
        keep: { messages: 2 },
      }) as AgentMiddleware;
      const phase = phaseMiddleware(run);
      await createAgent({
        model,
        tools: [look()],
        middleware: place === "first" ? [phase, summary] : [summary, phase],
      }).invoke({ messages: "go" });
      expect(server.requests).toHaveLength(4);
      expect(sent(2)).toEqual([
        "user go",
        "assistant (look)",
        "tool seen",
        `user ${HURRY}`,
        "assistant (look)",
        "tool seen",
      ]);
      expect(sent(3).map((line) => line.split("\n")[0])).toEqual([
        expect.stringContaining("user Here is a summary"),
        "assistant (look)",
        "tool seen",
      ]);
      expect(run.view.turn).toBe(4);
    },
  );
});

describe("a person in the loop", () => {
  async function decide(decision: object, input: object = {}) {
    const { model } = await scriptChat([call("look", input), say("Done.")]);
    const run = createRun();
    const events = eventsOf(run);
    const agent = createAgent({
      model,
      tools: [look((given) => `seen ${JSON.stringify(given)}`)],
      middleware: [phaseMiddleware(run), humanInTheLoopMiddleware({ interruptOn: { look: true } })],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" } };
    expect(isInterrupted(await agent.invoke({ messages: "go" }, config))).toBe(true);
    expect(typesOf(events).at(-1)).toBe("tool.requested");
    await agent.invoke(new Command({ resume: { decisions: [decision] } }), config);
    return events;
  }

  it.each([
    { decision: { type: "approve" }, outcome: "ok seen {}" },
    {
      decision: { type: "edit", editedAction: { name: "look", args: { deep: true } } },
      outcome: 'ok seen {"deep":true}',
    },
    { decision: { type: "reject", message: "Better not." }, outcome: "denied Better not." },
  ])("says $decision.type", async ({ decision, outcome }) => {
    const events = await decide(decision);
    expect(finished(events)).toEqual([outcome]);
    expect(typesOf(events).filter((type) => type === "turn.started")).toHaveLength(2);
  });

  it("cannot allow what the run refuses", async () => {
    const { model } = await scriptChat([call("look"), say("Done.")]);
    let made = 0;
    const run = createRun({
      mode: "gate",
      policies: [definePolicy({ name: "no", decide: { "tool.requested": () => refuse("Not in this phase.") } })],
    });
    const agent = createAgent({
      model,
      tools: [look(() => (made += 1))],
      middleware: [phaseMiddleware(run), humanInTheLoopMiddleware({ interruptOn: { look: true } })],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" } };
    await agent.invoke({ messages: "go" }, config);
    const { messages } = await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), config);
    expect(made).toBe(0);
    expect(showMessages(messages)).toContain("tool ! Not in this phase.");
  });
});

describe("limits", () => {
  it("of tool calls deny the ones that are too many", async () => {
    const { model } = await scriptChat([{ calls: [{ tool: "look" }, { tool: "look" }] }, say("Done.")]);
    const run = createRun();
    const events = eventsOf(run);
    await createAgent({
      model,
      tools: [look()],
      middleware: [phaseMiddleware(run), toolCallLimitMiddleware({ runLimit: 1, exitBehavior: "continue" })],
    }).invoke({ messages: "go" });
    expect(finished(events)).toEqual(["ok seen", expect.stringMatching(/^denied Tool call limit exceeded/)]);
  });

  it("of model calls end the agent, also against a veto", async () => {
    const { model, server } = await scriptChat(() => call("look"));
    const run = createRun({ mode: "gate", policies: [notYet] });
    const { messages } = await createAgent({
      model,
      tools: [look()],
      middleware: [phaseMiddleware(run), modelCallLimitMiddleware({ runLimit: 2, exitBehavior: "end" })],
    }).invoke({ messages: "go" });
    expect(server.requests).toHaveLength(2);
    expect(messages.at(-1)?.text).toMatch(/limit/i);
  });
});

describe("retries and fallbacks", () => {
  const failing = { fails: { status: 500, code: "server_error" } } as const;

  it.each([
    { place: "first", types: ["turn.started", "model.answered", "message.sent", "finish.requested"] },
    { place: "last", types: ["turn.started", "model.failed", "model.answered", "message.sent", "finish.requested"] },
  ])(
    "of models are one turn; failed attempts are recorded only from inside of them: Phasekit $place",
    async ({ place, types }) => {
      for (const make of [
        async () =>
          [
            (await scriptChat([failing, say("Done.")])).model,
            modelRetryMiddleware({ maxRetries: 1, initialDelayMs: 1 }),
          ] as const,
        async () =>
          [
            (await scriptChat([failing])).model,
            modelFallbackMiddleware((await scriptChat([say("Done.")])).model),
          ] as const,
      ]) {
        const [model, retry] = await make();
        const run = createRun();
        const events = eventsOf(run);
        const phase = phaseMiddleware(run);
        const { messages } = await createAgent({
          model,
          tools: [],
          middleware: place === "first" ? [phase, retry as AgentMiddleware] : [retry as AgentMiddleware, phase],
        }).invoke({ messages: "go" });
        expect(messages.at(-1)?.text).toBe("Done.");
        expect(typesOf(events).slice(2)).toEqual(types);
      }
    },
  );

  it("of tools that fail in the end are one failure", async () => {
    const { model } = await scriptChat([call("look"), say("Done.")]);
    let calls = 0;
    const flaky = look(() => {
      calls += 1;
      if (calls > 1) throw new Error("gone");
      return "seen";
    });
    // Calls the tool a second time and returns that result.
    const twice = createMiddleware({
      name: "twice",
      wrapToolCall: async (request, handler) => (await handler(request), handler(request)),
    });
    const run = createRun();
    const events = eventsOf(run);
    const careful = toolErrorMiddleware({ onError: (error) => `It failed: ${String(error)}` });
    await createAgent({ model, tools: [flaky], middleware: [phaseMiddleware(run), careful, twice] }).invoke({
      messages: "go",
    });
    expect([calls, finished(events)]).toEqual([2, ["error It failed: Error: gone"]]);
  });

  it("of tools run inside of Phasekit, which records one result", async () => {
    const { model } = await scriptChat([call("look"), say("Done.")]);
    let calls = 0;
    const flaky = look(() => {
      calls += 1;
      if (calls === 1) throw new Error("try again");
      return "seen";
    });
    const run = createRun();
    const events = eventsOf(run);
    await createAgent({
      model,
      tools: [flaky],
      middleware: [phaseMiddleware(run), toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 1 })],
    }).invoke({ messages: "go" });
    expect([calls, finished(events)]).toEqual([2, ["ok seen"]]);
  });
});
