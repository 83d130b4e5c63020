import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createRun, isPhasekitError, type RunPort, trackRun } from "@phasekit/core";
import { eventsToLines } from "@phasekit/core/testing";
import { type RecordedRequest, seenRequest } from "@phasekit/tooling/openai-server";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { type Invocation, phaseMiddleware } from "../src/index.ts";
import { anything, call, drain, eventsOf, hurry, look, say, scriptChat } from "./scripted-chat.ts";

/** Calls `look` as often as the prompt says, then answers with the prompt. */
function lookAsTold(request: RecordedRequest) {
  const { messages } = seenRequest(request);
  const prompt = messages[0]!.text;
  const results = messages.filter(({ role }) => role === "tool").length;
  return results < Number(prompt) ? call("look", { prompt }) : say(prompt);
}

describe("several invocations of one agent", () => {
  it.each(["invoke", "stream", "streamEvents", "batch"])("in parallel have a run each: %s", async (how) => {
    const { model } = await scriptChat(lookAsTold);
    const runs: RunPort[] = [];
    const source = (): RunPort => {
      const run = createRun({ policies: [hurry] });
      runs.push(run);
      return run;
    };
    const agent = createAgent({
      model,
      tools: [
        look(
          () =>
            new Promise((resolve) => {
              setTimeout(() => resolve("seen"), 3);
            }),
        ),
      ],
      middleware: [phaseMiddleware(source)],
    });
    const inputs = ["1", "4", "2", "3"].map((messages) => ({ messages }));
    if (how === "batch") await agent.graph.batch(inputs as never[]);
    else if (how === "invoke") await Promise.all(inputs.map((input) => agent.invoke(input)));
    else
      await Promise.all(
        inputs.map((input) =>
          drain(how === "stream" ? agent.stream(input) : Promise.resolve(agent.streamEvents(input, { version: "v2" }))),
        ),
      );
    expect(runs.map(({ view }) => view.toolCalls).sort()).toEqual([1, 2, 3, 4]);
    for (const { view } of runs) expect(view.turn).toBe(view.toolCalls + 1);
  });

  it("can make all their calls in one node", async () => {
    const { model } = await scriptChat([{ calls: [{ tool: "look" }, { tool: "look" }] }, say("Done.")]);
    const run = createRun();
    await createAgent({ model, tools: [look()], version: "v1", middleware: [phaseMiddleware(() => run)] }).invoke({
      messages: "go",
    });
    expect([run.view.turn, run.view.toolCalls, run.view.pending.size]).toEqual([2, 2, 0]);
  });

  it("can have the name of the agent in the text", async () => {
    const { model, sent } = await scriptChat([call("look"), { ...say("<name>helper</name><content>Done.</content>") }]);
    const run = createRun({ policies: [hurry] });
    const events = eventsOf(run);
    const agent = createAgent({
      name: "helper",
      includeAgentName: "inline",
      model,
      tools: [look()],
      middleware: [phaseMiddleware(run)],
    });
    const { messages } = await agent.invoke({ messages: "go" });
    expect(messages.at(-1)?.text).toBe("Done.");
    expect(sent(1).at(-1)).toBe("user <phasekit>\nHurry.\n</phasekit>");
    expect(events.filter(({ type }) => type === "model.answered")).toMatchObject([
      { finishReason: "tool-calls" },
      { finishReason: "stop" },
    ]);
  });

  it("get `configurable` and `context` of the caller", async () => {
    const { model } = await scriptChat([say("One."), say("Two.")]);
    const seen: Invocation[] = [];
    const agent = createAgent({
      model,
      tools: [],
      checkpointer: new MemorySaver(),
      middleware: [phaseMiddleware((invocation) => (seen.push(invocation), createRun()))],
    });
    await agent.invoke({ messages: "go" }, { configurable: { thread_id: "a" } });
    await agent.invoke({ messages: "go" }, { configurable: { thread_id: "b" }, context: { user: "u" } } as object);
    expect(
      seen.map(({ configurable, context, parent, call: made }) => [configurable["thread_id"], context, parent, made]),
    ).toEqual([
      ["a", undefined, undefined, undefined],
      ["b", { user: "u" }, undefined, undefined],
    ]);
  });

  it("with an ended run are refused, and the error of LangChain has the cause", async () => {
    const { model, server } = await scriptChat([]);
    const run = createRun();
    run.end();
    const error = await createAgent({ model, tools: [], middleware: [phaseMiddleware(run)] })
      .invoke({ messages: "go" })
      .catch((caught: unknown) => caught as Error);
    expect(isPhasekitError((error as Error).cause, "RUN_ENDED")).toBe(true);
    expect(server.requests).toHaveLength(0);
  });

  it("aborted by the caller are interrupted runs, also inside of the error of LangChain", async () => {
    const controller = new AbortController();
    const { model } = await scriptChat([{ hangs: () => controller.abort() }]);
    const run = createRun();
    const agent = createAgent({ model, tools: [], middleware: [phaseMiddleware(run)] });
    await expect(
      trackRun(run, () => agent.invoke({ messages: "go" }, { signal: controller.signal })),
    ).rejects.toThrow();
    expect(run.outcome?.reason).toBe("interrupted");
  });
});

describe("agents inside of tools", () => {
  const childOrRoot = ({ parent, call: made }: Invocation): RunPort =>
    parent === undefined ? createRun({ id: "root" }) : parent.child({ ...(made !== undefined && { call: made }) });

  it.each(["with", "without"])(
    "have child runs, which end with the call: invoked %s the config of the tool",
    async (how) => {
      const inner = await scriptChat([call("look"), say("Found it.")]);
      const outer = await scriptChat([call("delegate", { task: "look" }), say("Done.")]);
      const runs: RunPort[] = [];
      const middleware = phaseMiddleware((invocation) => {
        const run = childOrRoot(invocation);
        runs.push(run);
        return run;
      });
      const helper = createAgent({ model: inner.model, tools: [look()], middleware: [middleware] });
      const delegate = tool(
        async (_input, config: object) =>
          (await helper.invoke({ messages: "look" }, how === "with" ? config : {})).messages.at(-1)?.text,
        { name: "delegate", description: "Delegates.", schema: anything },
      );
      const agent = createAgent({ model: outer.model, tools: [delegate], middleware: [middleware] });
      await agent.invoke({ messages: "go" });
      const [root, child] = runs;
      expect(runs).toHaveLength(2);
      expect(child?.outcome?.reason).toBe("done");
      expect(root?.view.usage).toMatchObject({ inputTokens: 40, outputTokens: 8 });
      expect(eventsToLines(eventsOf(root!), { ignore: ["meaning", "hash", "excerpt", "fingerprints"] }))
        .toMatchInlineSnapshot(`
          [
            "message.received length=2 from="user" inRequest=true",
            "turn.started turn=1",
            "model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1",
            "tool.requested turn=1 index=0 tool="delegate" input={"task":"look"}",
            "child.started turn=1",
            "child.progressed turn=1 usage={"inputTokens":10,"outputTokens":2} unknownCost=1 toolCalls=1",
            "child.progressed turn=1 usage={"inputTokens":10,"outputTokens":2} unknownCost=1 toolCalls=0",
            "child.finished turn=1 reason="done" verified=false phase="working"",
            "tool.finished turn=1 index=0 tool="delegate" outcome="ok" output="Found it."",
            "turn.started turn=2",
            "model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0",
            "message.sent turn=2 length=5",
            "finish.requested turn=2 text="Done."",
          ]
        `);
    },
  );

  it.each([
    {
      how: "in parallel calls",
      answers: [
        {
          calls: [
            { tool: "delegate", input: { times: 1 } },
            { tool: "delegate", input: { times: 1 } },
          ],
        },
        say("Done."),
      ],
    },
    { how: "one after the other in one call", answers: [call("delegate", { times: 2 }), say("Done.")] },
  ])("have a child run each: $how", async ({ answers }) => {
    const outer = await scriptChat(answers);
    const inner = await scriptChat(() => say("Found it."));
    const children: RunPort[] = [];
    const helper = createAgent({
      model: inner.model,
      tools: [],
      middleware: [
        phaseMiddleware(({ parent, call: made }) => {
          const child = parent!.child({ call: made! });
          children.push(child);
          return child;
        }),
      ],
    });
    const delegate = tool(
      async (input: unknown, config: object) => {
        for (let left = (input as { times: number }).times; left > 0; left -= 1)
          await helper.invoke({ messages: "look" }, config);
        return "Found it.";
      },
      { name: "delegate", description: "Delegates.", schema: anything },
    );
    const root = createRun();
    const events = eventsOf(root);
    await createAgent({ model: outer.model, tools: [delegate], middleware: [phaseMiddleware(root)] }).invoke({
      messages: "go",
    });
    expect(children.map(({ view, outcome }) => [view.turn, outcome?.reason])).toEqual([
      [1, "done"],
      [1, "done"],
    ]);
    expect(events.filter(({ type }) => type === "child.finished")).toHaveLength(2);
  });

  it("can have runs that are not children: their owners end them", async () => {
    const outer = await scriptChat([call("delegate"), say("Done.")]);
    const inner = await scriptChat([say("Found it.")]);
    const own = createRun();
    const helper = createAgent({ model: inner.model, tools: [], middleware: [phaseMiddleware(() => own)] });
    const delegate = tool(() => helper.invoke({ messages: "look" }).then(() => "Found it."), {
      name: "delegate",
      description: "Delegates.",
      schema: anything,
    });
    const run = createRun();
    await createAgent({ model: outer.model, tools: [delegate], middleware: [phaseMiddleware(run)] }).invoke({
      messages: "go",
    });
    expect([own.view.status, own.view.turn, run.view.children.size]).toEqual(["running", 1, 0]);
  });

  it("elsewhere get nothing of the run: a serialized config does not contain it", async () => {
    const { model } = await scriptChat([call("remote"), say("Done.")]);
    let sent: string | undefined;
    const remote = tool(
      (_input, { configurable = {} }: { configurable?: Record<string, unknown> }) => {
        sent = JSON.stringify(
          Object.fromEntries(Object.entries(configurable).filter(([key]) => key.includes("phasekit"))),
        );
        return "sent";
      },
      { name: "remote", description: "Asks a remote graph.", schema: anything },
    );
    await createAgent({
      model,
      tools: [remote],
      middleware: [phaseMiddleware(createRun({ task: { text: "a secret" } }))],
    }).invoke({ messages: "go" });
    expect(sent).toBe("{}");
  });

  it("that fail end their child runs as failed, and the outer model gets the error", async () => {
    const outer = await scriptChat([call("delegate"), say("It failed.")]);
    const inner = await scriptChat([{ fails: { status: 500, code: "server_error" } }]);
    const children: RunPort[] = [];
    const helper = createAgent({
      model: inner.model,
      tools: [],
      middleware: [phaseMiddleware(({ parent }) => (children.push(parent!.child()), children.at(-1)!))],
    });
    const delegate = tool(() => helper.invoke({ messages: "look" }), {
      name: "delegate",
      description: "Delegates.",
      schema: anything,
    });
    const { messages } = await createAgent({
      model: outer.model,
      tools: [delegate],
      middleware: [phaseMiddleware(createRun())],
    }).invoke({ messages: "go" });
    expect(messages.at(-1)?.text).toBe("It failed.");
    expect(children.map(({ outcome }) => outcome?.reason)).toEqual(["upstream_unhealthy"]);
  });
});
