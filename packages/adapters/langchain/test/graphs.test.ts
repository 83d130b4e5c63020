import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Annotation, Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createRun, type RunPort } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { phaseTools, withPhases } from "../src/index.ts";
import {
  call,
  eventsOf,
  haltAfterTools,
  hurry,
  look,
  notYet,
  say,
  scriptChat,
  type ScriptedChat,
  showMessages,
  typesOf,
} from "./scripted-chat.ts";
import type { RunSource } from "@phasekit/core/adapter";
import { createAgent } from "langchain";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  modelCalls: Annotation<number>({ reducer: (sum, more) => sum + more, default: () => 0 }),
});
const WHY = "<phasekit>\nNot yet.\n</phasekit>";
const once = { mode: "gate", policies: [notYet], maxVetoes: { sinceProgress: 1, inAll: 1 } } as const;

/** A graph with its own state, whose model node routes by commands. */
function routed({ model }: ScriptedChat, source: RunSource, execute?: (input: unknown) => unknown) {
  const tools = phaseTools(source, [look(execute)]);
  const agent = withPhases(source, async ({ messages }: typeof State.State, config) => {
    const answer = await model.bindTools(tools).invoke(messages, config);
    return new Command({
      update: { messages: [answer], modelCalls: 1 },
      goto: (answer.tool_calls?.length ?? 0) > 0 ? "tools" : "wrap",
    });
  });
  return new StateGraph(State)
    .addNode("agent", agent, { ends: ["tools", "wrap"] })
    .addNode("tools", new ToolNode(tools))
    .addNode("wrap", () => ({ messages: [new AIMessage("Wrapped.")] }))
    .addEdge(START, "agent")
    .addEdge("tools", "agent")
    .addEdge("wrap", END)
    .compile({ checkpointer: new MemorySaver() });
}

const config = { configurable: { thread_id: "1" } };

describe("a hand-made graph", () => {
  it("keeps its own routing and its own state; a vetoed finish is in both", async () => {
    const chat = await scriptChat([say("Done."), call("look"), say("Done now.")]);
    const run = createRun(once);
    const { messages, modelCalls } = await routed(chat, run).invoke({ messages: [new HumanMessage("go")] }, config);
    expect(showMessages(messages)).toEqual([
      "human go",
      "ai Done.",
      `human ${WHY}`,
      "ai (look)",
      "tool seen",
      "ai Done now.",
      "ai Wrapped.",
    ]);
    expect(modelCalls).toBe(3);
    expect(chat.sent(2)).toEqual(["user go", "assistant Done.", `user ${WHY}`, "assistant (look)", "tool seen"]);
  });

  it("has one run per invocation for its nodes and its tools if they have the same source", async () => {
    const chat = await scriptChat(({ body }) =>
      (body["messages"] as readonly { role: string }[]).at(-1)?.role === "user" ? call("look") : say("Done."),
    );
    const runs: RunPort[] = [];
    const graph = routed(chat, () => (runs.push(createRun()), runs.at(-1)!));
    await Promise.all(
      ["a", "b", "c"].map((thread_id) =>
        graph.invoke({ messages: [new HumanMessage(thread_id)] }, { configurable: { thread_id } }),
      ),
    );
    expect(runs.map(({ view }) => [view.turn, view.toolCalls])).toEqual([
      [2, 1],
      [2, 1],
      [2, 1],
    ]);
  });

  it("gets its nudges in the messages of the node, and its state does not change", async () => {
    const chat = await scriptChat([call("look"), say("Done.")]);
    const { messages } = await routed(chat, createRun({ policies: [hurry] })).invoke(
      { messages: [new HumanMessage("go")] },
      config,
    );
    expect(chat.sent(1)).toEqual(["user go", "assistant (look)", "tool seen", "user <phasekit>\nHurry.\n</phasekit>"]);
    expect(showMessages(messages)).toEqual(["human go", "ai (look)", "tool seen", "ai Done.", "ai Wrapped."]);
  });

  it("can answer with messages in any form a graph accepts", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const answers = [{ role: "assistant", content: "As an object." }, ["ai", "As a pair."]] as const;
    const graph = new StateGraph(MessagesAnnotation)
      .addNode(
        "first",
        withPhases(run, () => ({ messages: [answers[0]] })),
      )
      .addNode(
        "second",
        withPhases(run, () => ({ messages: [answers[1]] })),
      )
      .addEdge(START, "first")
      .addEdge("first", "second")
      .addEdge("second", END)
      .compile();
    const { messages } = await graph.invoke({ messages: [new HumanMessage("go")] });
    expect(showMessages(messages)).toEqual(["human go", "ai As an object.", "ai As a pair."]);
    expect(events.filter(({ type }) => type === "message.sent")).toMatchObject([
      { excerpt: "As an object." },
      { excerpt: "As a pair." },
    ]);
  });

  it("is stopped by a message that replaces the answer of the model", async () => {
    const { model, server } = await scriptChat([call("look"), say("never")]);
    const run = createRun({ policies: [haltAfterTools] });
    const tools = phaseTools(run, [look()]);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode(
        "agent",
        withPhases(run, async ({ messages }: typeof MessagesAnnotation.State) => ({
          messages: [await model.bindTools(tools).invoke(messages)],
        })),
      )
      .addNode("tools", new ToolNode(tools))
      .addEdge(START, "agent")
      .addConditionalEdges("agent", ({ messages }) =>
        (messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : END,
      )
      .addEdge("tools", "agent")
      .compile();
    const { messages } = await graph.invoke({ messages: "go" });
    expect(showMessages(messages)).toEqual([
      "human go",
      "ai (look)",
      "tool seen",
      "ai A policy asked the run to stop.",
    ]);
    expect(server.requests).toHaveLength(1);
  });

  it("can have unguarded tools: their results are recorded at the next turn", async () => {
    const { model } = await scriptChat([{ calls: [{ tool: "look" }, { tool: "imagined" }] }, say("Done.")]);
    const run = createRun();
    const events = eventsOf(run);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode(
        "agent",
        withPhases(run, async ({ messages }: typeof MessagesAnnotation.State) => ({
          messages: [await model.bindTools([look()]).invoke(messages)],
        })),
      )
      .addNode("tools", new ToolNode([look()]))
      .addEdge(START, "agent")
      .addConditionalEdges("agent", ({ messages }) =>
        (messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : END,
      )
      .addEdge("tools", "agent")
      .compile();
    await graph.invoke({ messages: "go" });
    expect(events.filter(({ type }) => type === "tool.finished")).toMatchObject([
      { tool: "look", outcome: "ok", output: "seen" },
      { tool: "imagined", outcome: "error" },
    ]);
    expect(typesOf(events).lastIndexOf("tool.finished")).toBeLessThan(typesOf(events).lastIndexOf("turn.started"));
  });

  it("can have an agent as a node: every entry of the node is an invocation", async () => {
    const { model } = await scriptChat([say("One."), say("Two.")]);
    const runs: RunPort[] = [];
    const agent = createAgent(withPhases(() => (runs.push(createRun()), runs.at(-1)!), { model, tools: [] }));
    const graph = new StateGraph(State)
      .addNode("agent", async ({ messages }) => ({
        messages: (await agent.invoke({ messages })).messages.slice(-1),
        modelCalls: 1,
      }))
      .addEdge(START, "agent")
      .addConditionalEdges("agent", ({ modelCalls }) => (modelCalls < 2 ? "agent" : END))
      .compile();
    await graph.invoke({ messages: "go" });
    expect(runs.map(({ view }) => view.turn)).toEqual([1, 1]);
  });
});
