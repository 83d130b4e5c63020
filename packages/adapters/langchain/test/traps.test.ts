import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, GraphRecursionError, interrupt, MemorySaver } from "@langchain/langgraph";
import { createRun, trackRun } from "@phasekit/core";
import { type AgentMiddleware, createAgent, createMiddleware } from "langchain";
import { createAgent as createOldestAgent } from "langchain-oldest";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { phaseMiddleware } from "../src/index.ts";
import { anything, call, eventsOf, look, notYet, say, scriptChat, showMessages, typesOf } from "./scripted-chat.ts";

const passThrough = createMiddleware({ name: "passThrough", wrapToolCall: (request, handler) => handler(request) });

describe("errors of tools", () => {
  const broken = look(() => {
    throw new Error("disk is full");
  });
  const strict = tool(() => "never", { name: "look", description: "Looks.", schema: z.object({ path: z.string() }) });

  async function state(
    middleware: readonly AgentMiddleware[],
    tools: (typeof broken | typeof strict)[],
    create = createAgent,
  ): Promise<readonly string[]> {
    const { model } = await scriptChat([call("look"), say("Done.")]);
    const { messages } = await create({ model, tools, middleware }).invoke({ messages: "go" });
    // The stack trace of our own sources is not part of the message.
    return showMessages(messages).map((line) => line.replaceAll(/\n\s+at .*/g, ""));
  }

  it("are fatal with any middleware that rethrows them: this is the trap", async () => {
    await expect(state([passThrough], [broken])).rejects.toThrow("disk is full");
  });

  it.each([
    { what: "a tool that throws", tools: [broken], result: "tool ! Error: disk is full\n Please fix your mistakes." },
    {
      what: "wrong arguments",
      tools: [strict],
      result: expect.stringContaining("tool ! Error invoking tool 'look' with kwargs {}") as unknown,
    },
    { what: "a tool that does not exist", tools: [], result: "tool ! Error: look is not a valid tool, try one of []." },
  ])("$what: the model gets the same error as without us", async ({ tools, result }) => {
    const watched = await state([phaseMiddleware(createRun())], tools);
    expect(watched).toEqual(["human go", "ai (look)", result, "ai Done."]);
    // Without a tool and without us the agent has no tool node and ends with an open call.
    if (tools.length > 0) expect(watched).toEqual(await state([], tools));
  });

  it.each([
    { version: "newest", create: createAgent },
    { version: "oldest", create: createOldestAgent as unknown as typeof createAgent },
  ])(
    "stay results next to middlewares that rethrow them, each of which alone ends the agent: $version",
    async ({ create }) => {
      const again = createMiddleware({ name: "again", wrapToolCall: (request, handler) => handler(request) });
      expect(await state([phaseMiddleware(createRun()), passThrough, again], [broken], create)).toContain(
        "tool ! Error: disk is full\n Please fix your mistakes.",
      );
    },
  );

  it("of another middleware stay fatal", async () => {
    const angry = createMiddleware({
      name: "angry",
      wrapToolCall: () => {
        throw new Error("not allowed here");
      },
    });
    const { model } = await scriptChat([call("look")]);
    const run = createRun();
    const events = eventsOf(run);
    const agent = createAgent({ model, tools: [look()], middleware: [phaseMiddleware(run), angry] });
    await expect(agent.invoke({ messages: "go" })).rejects.toThrow("not allowed here");
    expect(events.at(-1)).toMatchObject({
      type: "tool.finished",
      outcome: "error",
      error: { message: "not allowed here" },
    });
  });
});

describe("the limit of steps", () => {
  const nodes = createMiddleware({ name: "nodes", beforeModel: () => undefined, afterModel: () => undefined });

  async function modelCalls(middleware: readonly AgentMiddleware[]): Promise<number> {
    const { model, server } = await scriptChat(() => call("look"));
    const error: unknown = await createAgent({ model, tools: [look()], middleware })
      .invoke({ messages: "go" })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(GraphRecursionError);
    return server.requests.length;
  }

  it("is reached sooner with hooks that are nodes: this is the trap", async () => {
    expect([await modelCalls([]), await modelCalls([nodes])]).toEqual([13, 6]);
  });

  it("does not change with Phasekit", async () => {
    expect(await modelCalls([phaseMiddleware(createRun())])).toBe(13);
  });

  it("is the reason of a run that reaches it", async () => {
    const { model } = await scriptChat(() => call("look"));
    const run = createRun();
    await expect(
      trackRun(run, () =>
        createAgent({ model, tools: [look()], middleware: [phaseMiddleware(run)] }).invoke({ messages: "go" }),
      ),
    ).rejects.toBeInstanceOf(GraphRecursionError);
    expect(run.outcome?.reason).toBe("step_limit");
  });

  it("does not change with a veto", async () => {
    const { model, server } = await scriptChat([call("look"), say("Done."), call("look"), say("Done now.")]);
    const run = createRun({ mode: "gate", policies: [notYet], maxVetoes: { sinceProgress: 1, inAll: 1 } });
    // Five steps (model, tools, model with the veto inside, tools, model), and the last one of the graph.
    await createAgent({ model, tools: [look()], middleware: [phaseMiddleware(run)] }).invoke(
      { messages: "go" },
      { recursionLimit: 6 },
    );
    expect(server.requests).toHaveLength(4);
  });
});

describe("interrupts", () => {
  it("inside of a tool pause the agent, and the call finishes once", async () => {
    const ask = tool(() => `They said ${String(interrupt("May I?"))}.`, {
      name: "ask",
      description: "Asks.",
      schema: anything,
    });
    const { model, server } = await scriptChat([call("ask"), say("Done.")]);
    const run = createRun();
    const events = eventsOf(run);
    const agent = createAgent({
      model,
      tools: [ask],
      middleware: [phaseMiddleware(run)],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" } };
    await trackRun(run, async () => {
      const paused = await agent.invoke({ messages: [new HumanMessage("go")] }, config);
      expect(paused).toHaveProperty("__interrupt__");
      return agent.invoke(new Command({ resume: "yes" }), config);
    });
    expect(server.requests).toHaveLength(2);
    expect(typesOf(events)).toEqual([
      "run.started",
      "message.received",
      "turn.started",
      "model.answered",
      "tool.requested",
      "tool.finished",
      "turn.started",
      "model.answered",
      "message.sent",
      "finish.requested",
      "run.finished",
    ]);
    expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({
      outcome: "ok",
      output: "They said yes.",
    });
  });
});
