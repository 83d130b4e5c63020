import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import {
  budget,
  createRun,
  definePhaseGraph,
  definePolicy,
  phaseStatusTool,
  refuse,
  replayRun,
  type RunEvent,
  type RunPort,
  stop,
  transition,
  trackRun,
} from "@phasekit/core";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { phaseMiddleware, sealDanglingToolCalls, toLangChainTools, withPhases } from "../src/index.ts";
import {
  anything,
  call,
  drain,
  eventsOf,
  haltAfterTools,
  hurry,
  look,
  notYet,
  say,
  scriptChat,
  showMessages,
} from "./scripted-chat.ts";

const twoCalls = {
  calls: [
    { tool: "look", input: { path: "a" } },
    { tool: "look", input: { path: "b" } },
  ],
};
const story = [call("look"), twoCalls, say("Done."), call("look"), say("Done now.")];
const policies = { mode: "gate", policies: [notYet, hurry], maxVetoes: { sinceProgress: 1, inAll: 1 } } as const;

describe("on the wire", () => {
  it("a nudge comes after all results, a veto after the answer, and nothing else is added", async () => {
    const { model, server } = await scriptChat(story);
    await createAgent({
      model,
      tools: [look()],
      systemPrompt: "Be brief.",
      middleware: [phaseMiddleware(createRun(policies))],
    }).invoke({ messages: "go" });
    const { messages, ...rest } = server.requests.at(-1)!.body;
    expect((messages as readonly unknown[]).map((message) => JSON.stringify(message))).toMatchInlineSnapshot(`
      [
        "{"role":"system","content":[{"type":"text","text":"Be brief."}]}",
        "{"role":"user","content":"go"}",
        "{"role":"assistant","content":"","name":"model","tool_calls":[{"id":"call-chat-0-0","type":"function","function":{"name":"look","arguments":"{}"}}]}",
        "{"role":"tool","content":"seen","name":"look","tool_call_id":"call-chat-0-0"}",
        "{"role":"user","content":"<phasekit>\\nHurry.\\n</phasekit>"}",
        "{"role":"assistant","content":"","name":"model","tool_calls":[{"id":"call-chat-1-0","type":"function","function":{"name":"look","arguments":"{\\"path\\":\\"a\\"}"}},{"id":"call-chat-1-1","type":"function","function":{"name":"look","arguments":"{\\"path\\":\\"b\\"}"}}]}",
        "{"role":"tool","content":"seen","name":"look","tool_call_id":"call-chat-1-0"}",
        "{"role":"tool","content":"seen","name":"look","tool_call_id":"call-chat-1-1"}",
        "{"role":"assistant","content":"Done."}",
        "{"role":"user","content":"<phasekit>\\nNot yet.\\n</phasekit>"}",
        "{"role":"assistant","content":"","name":"model","tool_calls":[{"id":"call-chat-3-0","type":"function","function":{"name":"look","arguments":"{}"}}]}",
        "{"role":"tool","content":"seen","name":"look","tool_call_id":"call-chat-3-0"}",
      ]
    `);
    expect(JSON.stringify(rest)).toMatchInlineSnapshot(
      `"{"model":"large-1","stream":false,"tools":[{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"type":"object","properties":{}}}}]}"`,
    );
  });

  it("nudges and vetoes have the same places in Responses", async () => {
    const { model, server } = await scriptChat(story, { useResponsesApi: true });
    await createAgent({ model, tools: [look()], middleware: [phaseMiddleware(createRun(policies))] }).invoke({
      messages: "go",
    });
    expect(server.requests.at(-1)!.history.map((item) => JSON.stringify(item))).toMatchInlineSnapshot(`
      [
        "{"type":"message","role":"user","content":"go"}",
        "{"id":"fc-responses-0-0","type":"function_call","status":"completed","call_id":"call-responses-0-0","name":"look","arguments":"{}"}",
        "{"type":"function_call_output","call_id":"call-responses-0-0","output":"seen"}",
        "{"type":"message","role":"user","content":"<phasekit>\\nHurry.\\n</phasekit>"}",
        "{"id":"fc-responses-1-0","type":"function_call","status":"completed","call_id":"call-responses-1-0","name":"look","arguments":"{\\"path\\":\\"a\\"}"}",
        "{"id":"fc-responses-1-1","type":"function_call","status":"completed","call_id":"call-responses-1-1","name":"look","arguments":"{\\"path\\":\\"b\\"}"}",
        "{"type":"function_call_output","call_id":"call-responses-1-0","output":"seen"}",
        "{"type":"function_call_output","call_id":"call-responses-1-1","output":"seen"}",
        "{"id":"msg-responses-2","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Done.","annotations":[]}]}",
        "{"type":"message","role":"user","content":"<phasekit>\\nNot yet.\\n</phasekit>"}",
        "{"id":"fc-responses-3-0","type":"function_call","status":"completed","call_id":"call-responses-3-0","name":"look","arguments":"{}"}",
        "{"type":"function_call_output","call_id":"call-responses-3-0","output":"seen"}",
      ]
    `);
  });

  it.each([false, true])("every request extends the one before it, byte by byte: streamed %s", async (streams) => {
    const { model, server } = await scriptChat(story);
    const agent = createAgent({
      model,
      tools: [look()],
      systemPrompt: "Be brief.",
      middleware: [phaseMiddleware(createRun(policies))],
    });
    if (streams) await drain(agent.stream({ messages: "go" }, { streamMode: "messages" }));
    else await agent.invoke({ messages: "go" });
    const bodies = server.requests.map(({ body }) => body);
    expect(bodies).toHaveLength(5);
    bodies.slice(1).forEach((body, index) => {
      const { messages: before, ...rest } = bodies[index]!;
      const { messages, ...same } = body;
      const prefix = (messages as readonly unknown[]).slice(0, (before as readonly unknown[]).length);
      expect(JSON.stringify(prefix)).toBe(JSON.stringify(before));
      expect(JSON.stringify(same)).toBe(JSON.stringify(rest));
    });
  });

  it("a nudge stays in its place if the thread continues with the same run", async () => {
    const { model, sent } = await scriptChat([call("look"), say("One."), say("Two.")]);
    const run = createRun({ policies: [hurry] });
    const agent = createAgent({
      model,
      tools: [look()],
      middleware: [phaseMiddleware(run)],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" } };
    const { messages } = await agent.invoke({ messages: "go" }, config);
    // The state of the graph does not change.
    expect(showMessages(messages)).toEqual(["human go", "ai (look)", "tool seen", "ai One."]);
    await agent.invoke({ messages: "more" }, config);
    expect(sent(2)).toEqual([
      "user go",
      "assistant (look)",
      "tool seen",
      "user <phasekit>\nHurry.\n</phasekit>",
      "assistant One.",
      "user more",
    ]);
  });
});

describe("a run resumed by another process", () => {
  it.each(["with", "without"])(
    "finds its nudges in their places in the thread, %s a stop in between",
    async (stopped) => {
      const { model, sent } = await scriptChat([call("look"), call("look"), say("Done.")]);
      const policies = [
        hurry,
        ...(stopped === "with"
          ? [
              definePolicy({
                name: "halt",
                decide: {
                  "tool.finished": ({ turn }: { turn: number }) =>
                    turn === 2 ? stop({ how: "halt", reason: "interrupted" }) : undefined,
                },
              }),
            ]
          : []),
      ];
      const checkpointer = new MemorySaver();
      const config = { configurable: { thread_id: "1" }, recursionLimit: stopped === "with" ? 25 : 4 };
      const agentOf = (run: RunPort) =>
        createAgent({ model, tools: [look()], middleware: [phaseMiddleware(run)], checkpointer });
      const run = createRun({ policies });
      const log = eventsOf(run);
      // Without a stop the process ends somewhere: here at the limit of steps.
      await agentOf(run)
        .invoke({ messages: "go" }, config)
        .catch(() => undefined);
      run.end({ reason: "interrupted" });
      const { run: resumed } = replayRun(JSON.parse(JSON.stringify(log)) as RunEvent[], { policies: [hurry] });
      resumed.resume();
      await agentOf(resumed).invoke({ messages: "go on" }, { configurable: { thread_id: "1" } });
      expect(sent(2)).toEqual([
        "user go",
        "assistant (look)",
        "tool seen",
        "user <phasekit>\nHurry.\n</phasekit>",
        "assistant (look)",
        "tool seen",
        ...(stopped === "with" ? ["assistant The process was stopped or killed before the run ended."] : []),
        "user go on",
      ]);
    },
  );
});

describe("phases", () => {
  const graph = definePhaseGraph({
    name: "two",
    initial: "looking",
    phases: {
      looking: { next: ["changing"], tools: { deny: ["edit_*"] } },
      changing: { next: [], final: true, model: "small" },
    },
  });
  const move = definePolicy({
    name: "move",
    mentions: ["looking", "changing"],
    decide: { "tool.finished": (run) => (run.isIn("looking") ? transition("changing") : undefined) },
  });
  const edit = tool(() => "written", { name: "edit_file", description: "Edits.", schema: anything });

  it.each([
    { hideTools: false, tools: ["look,edit_file", "look,edit_file"] },
    { hideTools: true, tools: ["look", "look,edit_file"] },
  ])("choose the model, and hide tools with `hideTools`: $hideTools", async ({ hideTools, tools }) => {
    const { model, server } = await scriptChat([call("look"), say("Done.")]);
    const small = new ChatOpenAI({
      model: "small-1",
      apiKey: "none",
      maxRetries: 0,
      configuration: { baseURL: server.url },
    });
    const run = createRun({ graph, mode: "gate", policies: [move] });
    await createAgent({
      model,
      tools: [look(), edit],
      middleware: [phaseMiddleware(run, { models: { small }, hideTools })],
    }).invoke({ messages: "go" });
    expect(server.requests.map(({ body }) => body["model"])).toEqual(["large-1", "small-1"]);
    expect(
      server.requests.map(({ body }) =>
        (body["tools"] as readonly { function: { name: string } }[]).map(({ function: { name } }) => name).join(),
      ),
    ).toEqual(tools);
  });

  it("refuse a call: it is not made, and the model gets the reason", async () => {
    const { model, sent } = await scriptChat([call("look"), say("Done.")]);
    let made = 0;
    const run = createRun({
      mode: "gate",
      policies: [definePolicy({ name: "no", decide: { "tool.requested": () => refuse("Not in this phase.") } })],
    });
    await createAgent({ model, tools: [look(() => (made += 1))], middleware: [phaseMiddleware(run)] }).invoke({
      messages: "go",
    });
    expect([made, sent(1).at(-1)]).toEqual([0, "tool Not in this phase."]);
  });

  it("are visible to the agent through a plain tool", async () => {
    const { model, sent } = await scriptChat([call("phase_status"), say("Done.")]);
    const run = createRun({ graph });
    await createAgent({
      model,
      tools: toLangChainTools([phaseStatusTool(run)]),
      middleware: [phaseMiddleware(run)],
    }).invoke({ messages: "where am I?" });
    expect(sent(1).at(-1)).toContain('Phase "looking"');
  });

  it("the model gets an error from a plain tool that rejects its input", async () => {
    const { model, sent } = await scriptChat([call("claim"), say("Done.")]);
    const claim = toLangChainTools([
      {
        name: "claim",
        description: "Claims.",
        inputSchema: anything,
        execute: () => ({ ok: false, text: "The section Tests is missing." }),
      },
    ]);
    await createAgent({ model, tools: claim, middleware: [phaseMiddleware(createRun())] }).invoke({ messages: "go" });
    expect(sent(1).at(-1)).toContain("The section Tests is missing.");
  });
});

describe("a stop", () => {
  it("ends the agent after the results, and the thread can continue", async () => {
    const { model, sent } = await scriptChat([twoCalls, say("Going on.")]);
    let runs = 0;
    const agent = createAgent({
      model,
      tools: [look()],
      middleware: [phaseMiddleware(() => createRun({ policies: (runs += 1) === 1 ? [haltAfterTools] : [] }))],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" } };
    const { messages } = await agent.invoke({ messages: "go" }, config);
    expect(showMessages(messages)).toEqual([
      "human go",
      "ai (look) (look)",
      "tool seen",
      "tool seen",
      "ai A policy asked the run to stop.",
    ]);
    await agent.invoke({ messages: "go on" }, config);
    expect(sent(1)).toEqual([
      "user go",
      "assistant (look, look)",
      "tool seen",
      "tool seen",
      "assistant A policy asked the run to stop.",
      "user go on",
    ]);
  });

  it("that aborts rejects the invocation with the reason", async () => {
    const { model, server } = await scriptChat([call("look"), say("never")]);
    const run = createRun({
      policies: [definePolicy({ name: "abort", decide: { "tool.finished": () => stop({ how: "abort" }) } })],
    });
    await expect(
      trackRun(run, () =>
        createAgent({ model, tools: [look()], middleware: [phaseMiddleware(run)] }).invoke({ messages: "go" }),
      ),
    ).rejects.toMatchObject({ cause: { code: "RUN_STOPPED" } });
    expect([server.requests.length, run.view.stopped?.reason]).toEqual([1, "policy_stop"]);
  });

  it("survives a model that calls tools in its closing turn", async () => {
    const { model, server } = await scriptChat(() => call("look"));
    let made = 0;
    const run = createRun({
      policies: [definePolicy({ name: "wrap", decide: { "tool.finished": () => stop({ how: "wrap-up" }) } })],
    });
    const { messages } = await createAgent({
      model,
      tools: [look(() => (made += 1))],
      middleware: [phaseMiddleware(run)],
    }).invoke({ messages: "go" });
    expect([made, server.requests.length, server.requests[1]?.body["tool_choice"]]).toEqual([1, 2, "none"]);
    expect(messages.at(-1)?.text).toBe("A policy asked the run to stop.");
  });

  it("at a limit ends with a message for the user, also if the model ignores the closing turn", async () => {
    const { model, server } = await scriptChat(() => call("look"));
    const run = createRun({ policies: [budget({ turns: 2 })] });
    const agent = withPhases(run, createAgent({ model, tools: [look()] }));
    const { messages } = await agent.invoke({ messages: "go" });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Use no more tools.");
    expect(messages.at(-1)?.text).toBe("The limit of turns was reached.");
  });
});

describe("sealDanglingToolCalls", () => {
  const calls = ["c1", "c2"].map((id) => ({ type: "tool_call" as const, id, name: "look", args: {} }));
  const cut = [
    new HumanMessage("go"),
    new AIMessage({ content: "", tool_calls: calls }),
    new ToolMessage({ content: "seen", tool_call_id: "c1" }),
  ];

  it("repairs a truncated history so that a provider accepts it", async () => {
    const { model, sent } = await scriptChat([say("Going on."), say("Going on.")]);
    await model.invoke([...sealDanglingToolCalls(cut), new HumanMessage("go on")]);
    await model.invoke(sealDanglingToolCalls([...cut, new HumanMessage("go on")]));
    const seal = "tool The run was stopped before this call was made. Nothing was done.";
    for (const request of [0, 1])
      expect(sent(request)).toEqual(["user go", "assistant (look, look)", "tool seen", seal, "user go on"]);
  });

  it("does not change a complete history", () => {
    const sealed = sealDanglingToolCalls(cut);
    expect(sealDanglingToolCalls(sealed)).toEqual(sealed);
    expect(sealed).toHaveLength(4);
  });
});
