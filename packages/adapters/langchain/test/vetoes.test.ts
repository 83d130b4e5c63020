import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { budget, createRun } from "@phasekit/core";
import { type AgentMiddleware, createAgent, createMiddleware, providerStrategy, toolStrategy } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { phaseMiddleware } from "../src/index.ts";
import { call, eventsOf, look, notYet, say, scriptChat, showMessages, typesOf } from "./scripted-chat.ts";

const once = { mode: "gate", policies: [notYet], maxVetoes: { sinceProgress: 1, inAll: 1 } } as const;
const WHY = "<phasekit>\nNot yet.\n</phasekit>";
const WHOLE = ["human go", "ai Done.", `human ${WHY}`, "ai (look)", "tool seen", "ai Done now."];

/** A middleware with some hooks and their call counts. */
function counting(hooks: readonly string[]): {
  readonly middleware: AgentMiddleware;
  readonly calls: Record<string, number>;
} {
  const calls: Record<string, number> = {};
  const count = (name: string) => () => {
    calls[name] = (calls[name] ?? 0) + 1;
  };
  return {
    middleware: createMiddleware({
      name: "counting",
      ...Object.fromEntries(hooks.map((name) => [name, count(name)])),
    }) as AgentMiddleware,
    calls,
  };
}

describe("a vetoed finish", () => {
  it.each([
    { hooks: [], calls: {} },
    { hooks: ["beforeModel"], calls: { beforeModel: 2 } },
    { hooks: ["afterModel"], calls: { afterModel: 2 } },
    { hooks: ["afterAgent"], calls: { afterAgent: 1 } },
    // With these two a jump to the model node breaks the graph.
    { hooks: ["afterModel", "afterAgent"], calls: { afterModel: 2, afterAgent: 1 } },
    {
      hooks: ["beforeAgent", "beforeModel", "afterModel", "afterAgent"],
      calls: { beforeAgent: 1, beforeModel: 2, afterModel: 2, afterAgent: 1 },
    },
  ])("stays in the state, in order, next to hooks: $hooks", async ({ hooks, calls }) => {
    for (const place of ["first", "last"]) {
      const { model, sent } = await scriptChat([say("Done."), call("look"), say("Done now.")]);
      const other = counting(hooks);
      const phase = phaseMiddleware(createRun(once));
      const agent = createAgent({
        model,
        tools: [look()],
        middleware: place === "first" ? [phase, other.middleware] : [other.middleware, phase],
      });
      const { messages } = await agent.invoke({ messages: "go" });
      expect(showMessages(messages)).toEqual(WHOLE);
      expect(other.calls).toEqual(calls);
      expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
      expect(sent(2)).toEqual(["user go", "assistant Done.", `user ${WHY}`, "assistant (look)", "tool seen"]);
    }
  });

  it("is streamed once, message by message", async () => {
    const { model } = await scriptChat([say("Done."), call("look"), say("Done now.")]);
    const agent = createAgent({ model, tools: [look()], middleware: [phaseMiddleware(createRun(once))] });
    const texts = new Map<string, string>();
    for await (const [message] of await agent.stream({ messages: "go" }, { streamMode: "messages" })) {
      const { id = "", text } = message;
      texts.set(id, (texts.get(id) ?? "") + text);
    }
    expect([...texts.values()]).toEqual(["Done.", "", "seen", "Done now."]);
  });

  it("keeps the ids the model gave its answers, and the name the agent gives them", async () => {
    const { model } = await scriptChat([say("Done."), call("look"), say("Done now.")]);
    const agent = createAgent({
      name: "helper",
      model,
      tools: [look()],
      middleware: [phaseMiddleware(createRun(once))],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" } };
    const signed = (messages: readonly BaseMessage[]) =>
      messages.filter(({ type }) => type === "ai").map(({ id, name }) => [id, name]);
    const expected = [
      ["chat-0", undefined],
      ["chat-1", "helper"],
      ["chat-2", "helper"],
    ];
    expect(signed((await agent.invoke({ messages: "go" }, config)).messages)).toEqual(expected);
    const stored = (await agent.graph.getState(config)).values as { messages: BaseMessage[] };
    expect(signed(stored.messages)).toEqual(expected);
  });

  it("is stored with the thread, and the next invocation continues from it", async () => {
    const { model, sent } = await scriptChat([say("Done."), call("look"), say("Done now."), say("Hello.")]);
    const agent = createAgent({
      model,
      tools: [look()],
      middleware: [phaseMiddleware(() => createRun(once))],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" } };
    await agent.invoke({ messages: "go" }, config);
    await agent.invoke({ messages: "more" }, config);
    expect(sent(3)).toEqual([
      "user go",
      "assistant Done.",
      `user ${WHY}`,
      "assistant (look)",
      "tool seen",
      "assistant Done now.",
      "user more",
    ]);
  });

  it("is vetoed again after progress, up to the limits of the run", async () => {
    const { model, server } = await scriptChat([
      say("1"),
      call("look"),
      say("2"),
      call("look"),
      say("3"),
      call("look"),
      say("4"),
    ]);
    const run = createRun({ mode: "gate", policies: [notYet], maxVetoes: { sinceProgress: 9, inAll: 2 } });
    const events = eventsOf(run);
    const { messages } = await createAgent({ model, tools: [look()], middleware: [phaseMiddleware(run)] }).invoke({
      messages: "go",
    });
    expect(showMessages(messages).filter((line) => line.startsWith("human"))).toHaveLength(3);
    expect(messages.at(-1)?.text).toBe("3");
    expect(server.requests).toHaveLength(5);
    expect(
      events.filter(({ type }) => type === "finish.vetoed").map((event) => (event as { applied?: boolean }).applied),
    ).toEqual([true, true, false]);
  });

  it("that reaches a limit ends the agent with everything in the state", async () => {
    const { model } = await scriptChat([say("Done."), say("I could not.")]);
    const run = createRun({ mode: "gate", policies: [notYet, budget({ turns: 1, soft: 1 })] });
    const { messages } = await createAgent({ model, tools: [look()], middleware: [phaseMiddleware(run)] }).invoke({
      messages: "go",
    });
    expect(showMessages(messages)).toEqual(["human go", "ai Done.", `human ${WHY}`, "ai I could not."]);
    expect(run.view.stopped).toMatchObject({ reason: "turn_limit" });
  });

  it.each([
    {
      name: "a tool",
      responseFormat: toolStrategy(z.object({ verdict: z.string() })),
      first: { calls: [{ tool: "extract-1", input: { verdict: "bad" } }] },
      last: { calls: [{ tool: "extract-1", input: { verdict: "good" } }] },
    },
    {
      name: "the provider",
      responseFormat: providerStrategy(z.object({ verdict: z.string() })),
      first: { text: '{"verdict":"bad"}' },
      last: { text: '{"verdict":"good"}' },
    },
  ])("can be a structured response, by $name", async ({ responseFormat, first, last }) => {
    const { model, server } = await scriptChat((request, index) => {
      // LangChain chooses the name of the tool that carries the response.
      const [carrier] = ((request.body["tools"] ?? []) as readonly { readonly function: { readonly name: string } }[])
        .map(({ function: { name } }) => name)
        .filter((name) => name.startsWith("extract"));
      const answer = index === 0 ? first : last;
      return answer.calls !== undefined
        ? { calls: answer.calls.map((made) => ({ ...made, tool: carrier ?? made.tool })) }
        : answer;
    });
    const run = createRun(once);
    const events = eventsOf(run);
    const { structuredResponse, messages } = await createAgent({
      model,
      tools: [look()],
      responseFormat: responseFormat as ReturnType<typeof toolStrategy>,
      middleware: [phaseMiddleware(run)],
    }).invoke({ messages: "go" });
    expect(structuredResponse).toEqual({ verdict: "good" });
    expect(server.requests).toHaveLength(2);
    expect(showMessages(messages).filter((line) => line.startsWith("human"))).toEqual(["human go", `human ${WHY}`]);
    expect(typesOf(events).filter((type) => !type.startsWith("message"))).toEqual([
      "run.started",
      "turn.started",
      "model.answered",
      "finish.requested",
      "finish.vetoed",
      "turn.started",
      "model.answered",
      "finish.requested",
      "finish.vetoed",
    ]);
  });
});
