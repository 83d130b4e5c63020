import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { Command, END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { createRun, definePolicy, refuse, type RunPort, trackRun } from "@phasekit/core";
import { eventsToLines } from "@phasekit/core/testing";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { phaseCallbacks } from "../src/index.ts";
import {
  anything,
  call,
  drain,
  eventsOf,
  hurry,
  look,
  say,
  scriptChat,
  type ScriptedChat,
  typesOf,
} from "./scripted-chat.ts";

const ignore = ["meaning", "hash", "excerpt", "fingerprints"];

function graphOf({ model }: ScriptedChat, tools: ReturnType<typeof look>[], checkpointer?: MemorySaver) {
  return new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }) => ({ messages: [await model.bindTools(tools).invoke(messages)] }))
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", toolsCondition, ["tools", END])
    .addEdge("tools", "agent")
    .compile({ ...(checkpointer !== undefined && { checkpointer }) });
}

describe("phaseCallbacks", () => {
  it("records no result for an interrupted call until the graph continues", async () => {
    const chat = await scriptChat([call("look"), say("Done.")]);
    const run = createRun();
    const events = eventsOf(run);
    const graph = graphOf(chat, [look(() => `a person says ${String(interrupt("May I?"))}`)], new MemorySaver());
    const config = { configurable: { thread_id: "1" }, callbacks: [phaseCallbacks(run)] };
    await graph.invoke({ messages: "go" }, config);
    expect([events.at(-1)?.type, run.view.pending.size]).toEqual(["tool.requested", 1]);
    await graph.invoke(new Command({ resume: "yes" }), config);
    expect(events.filter(({ type }) => type.startsWith("tool."))).toMatchObject([
      { type: "tool.requested" },
      { type: "tool.finished", outcome: "ok", output: "a person says yes" },
    ]);
  });

  it("records a graph without changes to it, and records a nudge as lost", async () => {
    const chat = await scriptChat([call("look"), say("Done.")]);
    const run = createRun({ policies: [hurry] });
    const events = eventsOf(run);
    await trackRun(run, () => graphOf(chat, [look()]).invoke({ messages: "go" }, { callbacks: [phaseCallbacks(run)] }));
    expect(chat.sent(1)).toEqual(["user go", "assistant (look)", "tool seen"]);
    expect(eventsToLines(events, { ignore })).toMatchInlineSnapshot(`
      [
        "message.received length=2 from="user" inRequest=true",
        "turn.started turn=1",
        "model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1",
        "tool.requested turn=1 index=0 tool="look" input={}",
        "tool.finished turn=1 index=0 tool="look" outcome="ok" output="seen"",
        "turn.started turn=2",
        "nudge.sent by="speak" turn=2 nudge="nudge-1" text="Hurry." episode="working#1" applied=true",
        "nudge.lost turn=2 nudge="nudge-1" why="callbacks only watch"",
        "model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0",
        "message.sent turn=2 length=5",
        "finish.requested turn=2 canVeto=false",
        "run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"",
      ]
    `);
  });

  it("records the same events of an agent, streamed or not", async () => {
    const lines: (readonly string[])[] = [];
    for (const streams of [false, true]) {
      const { model } = await scriptChat([{ ...call("look"), text: "I look." }, say("Done.")]);
      const run = createRun();
      const agent = createAgent({ model, tools: [look()] });
      const config = { callbacks: [phaseCallbacks(run)] };
      if (streams) await drain(agent.stream({ messages: "go" }, { ...config, streamMode: "messages" }));
      else await agent.invoke({ messages: "go" }, config);
      lines.push(eventsToLines(eventsOf(run), { ignore }));
    }
    expect(lines[0]).toContain(
      'model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0',
    );
    expect(lines[1]).toEqual(lines[0]);
  });

  it("only records: a call that gate mode refuses is made and recorded", async () => {
    const chat = await scriptChat([call("look"), say("Done.")]);
    const run = createRun({
      mode: "gate",
      policies: [definePolicy({ name: "no", decide: { "tool.requested": () => refuse("Not now.") } })],
    });
    const events = eventsOf(run);
    let made = 0;
    await graphOf(chat, [look(() => (made += 1))]).invoke({ messages: "go" }, { callbacks: [phaseCallbacks(run)] });
    expect(made).toBe(1);
    expect(typesOf(events)).toContain("tool.refused");
  });

  it("records failing tools and models and does not change the failure", async () => {
    const chat = await scriptChat([call("look"), { fails: { status: 500, code: "server_error" } }]);
    const run = createRun();
    const events = eventsOf(run);
    const failing = graphOf(chat, [
      look(() => {
        throw new Error("disk is full");
      }),
    ]);
    await expect(failing.invoke({ messages: "go" }, { callbacks: [phaseCallbacks(run)] })).rejects.toThrow(
      "the script says so",
    );
    expect(events.filter(({ type }) => type === "tool.finished" || type === "model.failed")).toMatchObject([
      { outcome: "error", output: "disk is full" },
      { status: 500, code: "server_error" },
    ]);
  });

  it("records agents inside of tools as child runs, which end with the call", async () => {
    const inner = await scriptChat([call("look"), say("Found it.")]);
    const outer = await scriptChat([call("delegate"), say("Done.")]);
    const helper = createAgent({ model: inner.model, tools: [look()] });
    const delegate = tool(async () => (await helper.invoke({ messages: "look" })).messages.at(-1)?.text, {
      name: "delegate",
      description: "Delegates.",
      schema: anything,
    });
    const run = createRun();
    await createAgent({ model: outer.model, tools: [delegate] }).invoke(
      { messages: "go" },
      { callbacks: [phaseCallbacks(run)] },
    );
    expect(typesOf(eventsOf(run))).toEqual([
      "run.started",
      "message.received",
      "turn.started",
      "model.answered",
      "tool.requested",
      "child.started",
      "child.progressed",
      "child.progressed",
      "child.finished",
      "tool.finished",
      "turn.started",
      "model.answered",
      "message.sent",
    ]);
    expect(run.view.usage).toMatchObject({ inputTokens: 40, outputTokens: 8 });
    expect(run.view.toolCalls).toBe(1);
  });

  it("gives every invocation its own run if it gets a function, also in parallel", async () => {
    const { model } = await scriptChat(() => say("Done."));
    const runs: RunPort[] = [];
    const names: unknown[] = [];
    const handler = phaseCallbacks(({ metadata, tags }) => {
      names.push([metadata["task"], tags]);
      runs.push(createRun());
      return runs.at(-1)!;
    });
    const agent = createAgent({ model, tools: [] });
    await Promise.all(
      ["a", "b"].map((task) =>
        agent.invoke({ messages: "go" }, { callbacks: [handler], metadata: { task }, tags: [task] }),
      ),
    );
    expect(runs.map(({ view }) => view.turn)).toEqual([1, 1]);
    expect(names).toEqual([
      ["a", ["a"]],
      ["b", ["b"]],
    ]);
  });

  it("records a model, a tool or a chain without an agent", async () => {
    const { model } = await scriptChat([say("Hello."), say("Hello again.")]);
    const run = createRun();
    const callbacks = [phaseCallbacks(run)];
    await model.invoke("hi", { callbacks });
    await look(() => ({ exitCode: 0 })).invoke({}, { callbacks });
    await RunnableLambda.from((text: string) => model.invoke(text)).invoke("hi", { callbacks });
    expect(typesOf(eventsOf(run))).toEqual([
      "run.started",
      "message.received",
      "turn.started",
      "model.answered",
      "message.sent",
      "tool.requested",
      "tool.finished",
      "turn.started",
      "model.answered",
      "message.sent",
    ]);
  });

  it("lets the host work if the run itself is broken", async () => {
    const fail = (): never => {
      throw new Error("the run is broken");
    };
    const chat = await scriptChat([call("look"), say("Done.")]);
    const broken = { ...createRun(), record: fail, beforeTurn: fail, beforeTool: fail, text: fail };
    const { messages } = await graphOf(chat, [look()]).invoke(
      { messages: "go" },
      { callbacks: [phaseCallbacks(broken)] },
    );
    expect(messages.at(-1)?.text).toBe("Done.");
  });
});
