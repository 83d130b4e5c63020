import {
  createRun,
  definePolicy,
  nudge,
  phaseStatusTool,
  refuse,
  type RunEvent,
  type RunPort,
  stop,
  trackRun,
  veto,
} from "@phasekit/core";
import { eventsToLines } from "@phasekit/core/testing";
import {
  type OpenAiServer,
  type ScriptedAnswer,
  seenRequest,
  startOpenAiServer,
} from "@phasekit/tooling/openai-server";
import type { ModelMessage } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import { phaseTelemetry, runUntilVerified, sealDanglingToolCalls, toAiTools, withPhases } from "../src/index.ts";
import { partsToAnswer } from "../src/model-parts.ts";
import { type Major, majors, newest } from "./majors.ts";

const servers: OpenAiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    await server.close();
    expect(server.complaints).toEqual([]);
  }
});

async function script(answers: readonly ScriptedAnswer[]): Promise<OpenAiServer> {
  const server = await startOpenAiServer(answers);
  servers.push(server);
  return server;
}

function eventsOf(run: Pick<RunPort, "subscribe">): readonly RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return events;
}

const types = (events: readonly RunEvent[]): readonly string[] => events.map(({ type }) => type);
const call = (tool: string): ScriptedAnswer => ({ calls: [{ tool, input: {} }] });
const gate = definePolicy({ name: "gate", decide: { "finish.requested": () => veto("Not yet.") } });
const haltAfterTools = definePolicy({
  name: "halt",
  decide: { "tool.finished": () => stop({ how: "halt", text: "Stop here." }) },
});

function toolsOf({ sdk }: Major, execute: (input: unknown, options: { readonly toolCallId: string }) => unknown) {
  return { look: sdk.dynamicTool({ inputSchema: sdk.jsonSchema({ type: "object", properties: {} }), execute }) };
}

describe.each(majors)("ai $version", (major) => {
  const { sdk, connect } = major;

  it("streams the values of a generator tool and records the last one", async () => {
    const server = await script([call("look"), { text: "Done." }]);
    const run = createRun();
    const events = eventsOf(run);
    const tools = toolsOf(major, async function* () {
      yield await Promise.resolve("half");
      yield { exitCode: 0, stdout: "whole" };
    });
    const result = sdk.streamText(
      withPhases(run, { model: connect(server.url)("m"), tools, prompt: "go", stopWhen: sdk.stepCountIs(5) }),
    );
    const outputs: unknown[] = [];
    // oxlint-disable-next-line typescript/no-deprecated -- its name in every major
    for await (const part of result.fullStream) if (part.type === "tool-result") outputs.push(part.output);
    expect(outputs).toEqual(["half", { exitCode: 0, stdout: "whole" }, { exitCode: 0, stdout: "whole" }]);
    expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({
      output: { exitCode: 0, stdout: "whole" },
      exitCode: 0,
    });
  });

  it("keeps the default number of steps without a `stopWhen` of the caller", async () => {
    const server = await script([call("look"), { text: "a second step" }]);
    await sdk.generateText(
      withPhases(createRun(), { model: connect(server.url)("m"), tools: toolsOf(major, () => "seen"), prompt: "go" }),
    );
    expect(server.requests).toHaveLength(1);
  });

  it("adds its stop condition to the caller's", async () => {
    const server = await script([call("look"), call("look"), call("look")]);
    const run = createRun();
    const { steps } = await sdk.generateText(
      withPhases(run, {
        model: connect(server.url)("m"),
        tools: toolsOf(major, () => "seen"),
        prompt: "go",
        stopWhen: sdk.stepCountIs(2),
      }),
    );
    expect(steps).toHaveLength(2);
    run.end();
    expect(run.outcome?.reason, "the agent did not say it was done").toBe("step_limit");
    const halted = await sdk.generateText(
      withPhases(createRun({ policies: [haltAfterTools] }), {
        model: connect(server.url)("m"),
        tools: toolsOf(major, () => "seen"),
        prompt: "go",
        stopWhen: [sdk.stepCountIs(9)],
      }),
    );
    expect(halted.steps).toHaveLength(1);
  });

  it("stops an agent without `stopWhen` by a step without tools", async () => {
    const { ToolLoopAgent, Experimental_Agent } = sdk as unknown as Readonly<
      Record<
        string,
        | (new (settings: object) => { generate: (call: object) => Promise<{ text: string; finishReason: string }> })
        | undefined
      >
    >;
    const Agent = (ToolLoopAgent ?? Experimental_Agent)!;
    const server = await script([call("look"), { text: "Stopped." }]);
    const run = createRun({ policies: [haltAfterTools] });
    const settings = { model: connect(server.url)("m"), tools: toolsOf(major, () => "seen") };
    if (major.major === 5) {
      // Its agent takes one step by default. With `stopWhen`, our condition ends the loop after the results.
      const limited = withPhases(run, new Agent({ ...settings, stopWhen: sdk.stepCountIs(9) }));
      expect((await limited.generate({ prompt: "go" })).finishReason).toBe("tool-calls");
      expect(server.requests).toHaveLength(1);
      return;
    }
    const agent = withPhases(run, new Agent(settings));
    const { text, finishReason } = await agent.generate({ prompt: "go" });
    expect([text, finishReason]).toEqual(["Stopped.", "stop"]);
    const { toolChoice, messages } = seenRequest(server.requests[1]!);
    expect(toolChoice).toBe("none");
    expect(messages.at(-1)?.text).toBe("<phasekit>\nStop here.\n</phasekit>");
  });

  it("calls the caller's own hooks and keeps what they return", async () => {
    const server = await script([call("look"), { text: "Done." }]);
    const seen: string[] = [];
    const speak = definePolicy({
      name: "speak",
      decide: { "turn.started": ({ turn }) => (turn === 2 ? nudge("Hurry.") : undefined) },
    });
    await sdk.generateText(
      withPhases(createRun({ policies: [speak] }), {
        model: connect(server.url)("m"),
        tools: toolsOf(major, () => "seen"),
        prompt: "go",
        stopWhen: sdk.stepCountIs(5),
        prepareStep: ({ stepNumber, messages }: { stepNumber: number; messages: ModelMessage[] }) => {
          seen.push(`prepare ${stepNumber}`);
          return stepNumber === 1
            ? { messages: [...messages, { role: "user" as const, content: "from the caller" }] }
            : undefined;
        },
        onStepFinish: () => {
          seen.push("step");
        },
      }),
    );
    expect(seen).toEqual(["prepare 0", "step", "prepare 1", "step"]);
    expect(
      seenRequest(server.requests[1]!)
        .messages.slice(-2)
        .map(({ text }) => text),
    ).toEqual(["from the caller", "<phasekit>\nHurry.\n</phasekit>"]);
  });

  it("records `canVeto: false` without steering: the finish is requested at the end and not held back", async () => {
    const server = await script([{ text: "Done." }]);
    const run = createRun({ mode: "gate", policies: [gate] });
    const events = eventsOf(run);
    await trackRun(run, () => sdk.generateText(withPhases(run, { model: connect(server.url)("m"), prompt: "go" })));
    expect(events.filter(({ type }) => type === "finish.requested" || type === "finish.vetoed")).toMatchObject([
      { canVeto: false },
      { applied: false },
    ]);
    expect(run.outcome).toMatchObject({ reason: "done_unverified", verified: false });
  });

  it("keeps a nudge in place across the calls of runUntilVerified", async () => {
    const server = await script([call("look"), { text: "Done." }, call("look"), { text: "Done now." }]);
    const speak = definePolicy({
      name: "speak",
      decide: { "turn.started": ({ turn }) => (turn === 2 ? nudge("Hurry.") : undefined) },
    });
    const run = createRun({ mode: "gate", policies: [gate, speak], maxVetoes: { sinceProgress: 1, inAll: 1 } });
    await runUntilVerified(run, {
      messages: [{ role: "user", content: "go" }] as ModelMessage[],
      generate: (messages) =>
        sdk.generateText(
          withPhases(run, {
            model: connect(server.url)("m"),
            tools: toolsOf(major, () => "seen"),
            messages,
            stopWhen: sdk.stepCountIs(5),
          }),
        ),
    });
    expect(seenRequest(server.requests[3]!).messages.map(({ role, text }) => `${role} ${text}`)).toEqual([
      "user go",
      "assistant ",
      "tool seen",
      "user <phasekit>\nHurry.\n</phasekit>",
      "assistant Done.",
      "user <phasekit>\nNot yet.\n</phasekit>",
      "assistant ",
      "tool seen",
    ]);
  });

  it("runUntilVerified starts with a prompt, and names what is missing", async () => {
    const server = await script([{ text: "Done." }, { text: "Done now." }]);
    const run = createRun({ mode: "gate", policies: [gate], maxVetoes: { sinceProgress: 1, inAll: 1 } });
    const generate = (messages: ModelMessage[]) =>
      sdk.generateText(withPhases(run, { model: connect(server.url)("m"), messages }));
    await runUntilVerified(run, { prompt: "go", generate });
    expect(seenRequest(server.requests[1]!).messages.map(({ role, text }) => `${role} ${text}`)).toEqual([
      "user go",
      "assistant Done.",
      "user <phasekit>\nNot yet.\n</phasekit>",
    ]);
    const nothing = runUntilVerified(run, { generate } as unknown as { prompt: string; generate: typeof generate });
    await expect(nothing).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("tells the step limit of the host as one", async () => {
    const server = await script([call("look"), call("look")]);
    const run = createRun();
    await trackRun(run, () =>
      sdk.generateText(
        withPhases(run, {
          model: connect(server.url)("m"),
          tools: toolsOf(major, () => "seen"),
          prompt: "go",
          stopWhen: sdk.stepCountIs(2),
        }),
      ),
    );
    expect(run.outcome?.reason).toBe("step_limit");
  });

  it("records a broken stream as a failed model call and passes the error on", async () => {
    const broken = { text: "a long answer that breaks", breaksAfter: 3 };
    const server = await script([broken, broken]);
    const run = createRun();
    const events = eventsOf(run);
    const bare = { model: connect(server.url)("m"), prompt: "go", maxRetries: 0, onError: () => undefined };
    const read = async (options: typeof bare): Promise<readonly string[]> => {
      const parts: string[] = [];
      try {
        // oxlint-disable-next-line typescript/no-deprecated -- its name in every major
        for await (const { type } of sdk.streamText(options).fullStream) parts.push(type);
      } catch (error) {
        parts.push(`threw ${String(error)}`);
      }
      return parts;
    };
    expect(await read(withPhases(run, bare))).toEqual(await read(bare));
    expect(types(events)).toEqual(["run.started", "message.received", "turn.started", "model.failed"]);
  });

  it("seals a stopped conversation so that a provider accepts it", async () => {
    const server = await script([{ text: "Going on." }]);
    const cut = [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c1", toolName: "look", input: {} },
          { type: "tool-call", toolCallId: "c2", toolName: "look", input: {} },
        ],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "text", value: "seen" } }],
      },
    ] as ModelMessage[];
    await sdk.generateText({
      model: connect(server.url)("m"),
      messages: [...sealDanglingToolCalls(cut), { role: "user", content: "go on" }],
    });
    expect(seenRequest(server.requests[0]!).messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "user",
    ]);
    expect(sealDanglingToolCalls(sealDanglingToolCalls(cut))).toHaveLength(4);
  });

  it("runs plain tools", async () => {
    const server = await script([call("phase_status"), { text: "Done." }]);
    const run = createRun();
    const tools = toAiTools([phaseStatusTool(run)], { jsonSchema: sdk.jsonSchema });
    await sdk.generateText(
      withPhases(run, { model: connect(server.url)("m"), tools, prompt: "where am I?", stopWhen: sdk.stepCountIs(5) }),
    );
    expect(seenRequest(server.requests[1]!).messages.at(-1)?.text).toContain('Phase "working"');
  });

  it("gives the model the reason of a refusal", async () => {
    const server = await script([call("look"), { text: "Done." }]);
    let made = 0;
    const run = createRun({
      mode: "gate",
      policies: [definePolicy({ name: "no", decide: { "tool.requested": () => refuse("Not in this phase.") } })],
    });
    const { steps } = await sdk.generateText(
      withPhases(run, {
        model: connect(server.url)("m"),
        tools: toolsOf(major, () => (made += 1)),
        prompt: "go",
        stopWhen: sdk.stepCountIs(5),
      }),
    );
    expect(made).toBe(0);
    expect(seenRequest(server.requests[1]!).messages.at(-1)?.text).toContain("Not in this phase.");
    // A refusal is an error of the call, not a result.
    expect(steps[0]?.content.map(({ type }) => type)).toEqual(["tool-call", "tool-error"]);
  });

  it("hides the tools of other phases with `hideTools`", async () => {
    const server = await script([{ text: "Done." }]);
    const graph = {
      name: "g",
      initial: "a",
      phases: { a: { next: [], final: true, tools: { deny: ["look"] } } },
    } as const;
    const tools = { ...toolsOf(major, () => "seen"), other: toolsOf(major, () => "seen").look };
    await sdk.generateText(
      withPhases(
        createRun({ graph, mode: "gate" }),
        { model: connect(server.url)("m"), tools, prompt: "go" },
        { hideTools: true },
      ),
    );
    expect(seenRequest(server.requests[0]!).tools).toEqual(["other"]);
  });

  it("prefers the model of the caller's own prepareStep to the phase's model", async () => {
    const server = await script([{ text: "Done." }]);
    const model = connect(server.url);
    const graph = { name: "g", initial: "a", phases: { a: { next: [], final: true, model: "small" } } } as const;
    const options = { model: model("own"), prompt: "go", prepareStep: () => ({ model: model("chosen") }) };
    await sdk.generateText(withPhases(createRun({ graph }), options, { models: { small: model("small-1") } }));
    expect(seenRequest(server.requests[0]!).model).toBe("chosen");
  });

  it("throws if a policy aborts, and makes no more model calls", async () => {
    const server = await script([call("look"), { text: "never" }]);
    const run = createRun({
      policies: [definePolicy({ name: "abort", decide: { "tool.finished": () => stop({ how: "abort" }) } })],
    });
    // A stop condition would end the loop first: this caller has none.
    const options = {
      model: connect(server.url)("m"),
      tools: toolsOf(major, () => "seen"),
      prompt: "go",
      stopWhen: () => false,
    };
    const wrapped = withPhases(run, options);
    await expect(sdk.generateText({ ...wrapped, stopWhen: () => false })).rejects.toMatchObject({
      code: "RUN_STOPPED",
    });
    expect(server.requests).toHaveLength(1);
  });

  it("leaves calls to the provider's own tools to the provider", () => {
    const kept = [
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "p1", toolName: "web_search", input: {}, providerExecuted: true }],
      },
    ];
    expect(sealDanglingToolCalls(kept)).toEqual(kept);
    const answer = partsToAnswer({
      content: [
        { ...kept[0]!.content[0]!, input: "{}" },
        { type: "tool-call", toolCallId: "c1", toolName: "look", input: "{}" },
      ],
      finishReason: "tool-calls",
      usage: undefined,
      model: "m",
    });
    expect(answer.calls.map(({ tool }) => tool)).toEqual(["look"]);
  });

  it("wraps a model with private members", async () => {
    const server = await script([{ text: "Done." }]);
    class Model {
      readonly #inner = connect(server.url)("m") as unknown as {
        readonly specificationVersion: string;
        readonly provider: string;
        doGenerate: (options: unknown) => Promise<unknown>;
      };
      readonly modelId = "m";
      readonly supportedUrls = {};
      get specificationVersion(): string {
        return this.#inner.specificationVersion;
      }
      get provider(): string {
        return this.#inner.provider;
      }
      describe(): string {
        return `private: ${this.#inner.provider}`;
      }
      doGenerate(options: unknown): Promise<unknown> {
        return this.#inner.doGenerate(options);
      }
    }
    const { model } = withPhases(createRun(), { model: new Model(), prompt: "go" });
    expect(model.describe()).toMatch(/^private: openai/);
    expect((await sdk.generateText({ model: model as never, prompt: "go" })).text).toBe("Done.");
  });

  if (major.major < 7)
    it("records the answer of a model given by name at the end of the step", async () => {
      const server = await script([call("look"), { text: "Done.", usage: { input: 5, output: 1 } }]);
      const model = connect(server.url);
      (globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown }).AI_SDK_DEFAULT_PROVIDER = {
        languageModel: (id: string) => model(id),
        specificationVersion: major.major === 5 ? "v2" : "v3",
      };
      const run = createRun();
      const events = eventsOf(run);
      await sdk.generateText(
        withPhases(run, {
          model: "some-model",
          tools: toolsOf(major, () => "seen"),
          prompt: "go",
          stopWhen: sdk.stepCountIs(5),
        }),
      );
      expect(types(events)).toEqual([
        "run.started",
        "message.received",
        "turn.started",
        "tool.requested",
        "tool.finished",
        "model.answered",
        "turn.started",
        "model.answered",
        "message.sent",
      ]);
      expect(run.view.usage.inputTokens).toBe(5);
      expect(run.view.pending.size).toBe(0);
      expect(events.find(({ type }) => type === "model.answered")).toMatchObject({ toolCalls: 1 });
    });

  it("drops the tool calls of a model that ignores the tool choice of the closing turn", async () => {
    const closing: ScriptedAnswer = { text: "Stopping.", ...call("look") };
    const server = await script([call("look"), closing, call("look"), closing]);
    const options = (made: string[]) => ({
      model: connect(server.url)("m"),
      tools: toolsOf(major, () => made.push("call")),
      prompt: "go",
      stopWhen: sdk.stepCountIs(9),
      maxRetries: 0,
    });
    const wrapUp = definePolicy({ name: "wrap", decide: { "tool.finished": () => stop({ how: "wrap-up" }) } });
    const made: string[] = [];

    const run = createRun({ policies: [wrapUp] });
    const events = eventsOf(run);
    const { text, finishReason, steps } = await sdk.generateText(withPhases(run, options(made)));
    expect([text, finishReason, steps.at(-1)?.toolCalls]).toEqual(["Stopping.", "stop", []]);
    expect(types(events).slice(-4)).toEqual(["turn.started", "model.answered", "message.sent", "tool.requested"]);

    const streamed = sdk.streamText(withPhases(createRun({ policies: [wrapUp] }), options(made)));
    const parts: string[] = [];
    // oxlint-disable-next-line typescript/no-deprecated -- its name in every major
    for await (const { type } of streamed.fullStream) parts.push(type);
    expect(parts.filter((type) => type.startsWith("tool-") || type === "error")).toEqual([
      "tool-input-start",
      "tool-input-delta",
      "tool-input-end",
      "tool-call",
      "tool-result",
    ]);
    expect([await streamed.finishReason, made, server.requests.length]).toEqual(["stop", ["call", "call"], 4]);
  });

  it("records the results in the messages of calls made elsewhere", async () => {
    const server = await script([
      {
        calls: [
          { tool: "ask", input: {} },
          { tool: "ask", input: {} },
        ],
      },
      { text: "Thanks." },
    ]);
    const run = createRun();
    const events = eventsOf(run);
    const tools = { ask: sdk.tool({ inputSchema: sdk.jsonSchema({ type: "object", properties: {} }) }) };
    const asked = await sdk.generateText(withPhases(run, { model: connect(server.url)("m"), tools, prompt: "go" }));
    const [first, second] = asked.toolCalls.map(({ toolCallId }) => toolCallId);
    const result = (toolCallId: string | undefined, output: object) => ({
      type: "tool-result",
      toolCallId,
      toolName: "ask",
      output,
    });
    const messages = [
      { role: "user", content: "go" },
      // oxlint-disable-next-line typescript/no-deprecated -- its name in every major
      ...asked.response.messages,
      {
        role: "tool",
        content: [
          result(first, { type: "json", value: { answer: 42 } }),
          result(second, { type: "error-text", value: "nobody there" }),
        ],
      },
    ] as ModelMessage[];
    await sdk.generateText(withPhases(run, { model: connect(server.url)("m"), tools, messages }));
    expect(events.filter(({ type }) => type === "tool.finished")).toMatchObject([
      { call: first, outcome: "ok", output: { answer: 42 } },
      { call: second, outcome: "error", output: "nobody there" },
    ]);
    expect(run.view.pending.size).toBe(0);
  });

  it("records the abort of a streamed answer immediately, whatever the caller's reason", async () => {
    const server = await script([{ text: "a long answer that is not read to its end" }]);
    const run = createRun();
    const events = eventsOf(run);
    const controller = new AbortController();
    const { textStream } = sdk.streamText(
      withPhases(run, {
        model: connect(server.url)("m"),
        prompt: "go",
        abortSignal: controller.signal,
        onError: () => undefined,
      }),
    );
    const reader = textStream.getReader();
    await reader.read();
    controller.abort(new Error("The user closed the page."));
    expect(events.at(-1)).toMatchObject({ type: "model.failed", code: "aborted" });
    while (!(await reader.read().catch(() => ({ done: true }))).done) continue;
    expect(types(events)).toEqual(["run.started", "message.received", "turn.started", "model.failed"]);
    // streamText does not throw on an abort: the run knows it from the failed call.
    run.end();
    expect(run.outcome?.reason).toBe("interrupted");
  });

  it("records each use of a tool without a tool call as a call of its own", async () => {
    const run = createRun();
    const { tools } = withPhases(run, { tools: toolsOf(major, () => "seen") });
    const execute = tools.look.execute as (input: object) => unknown;
    await execute({ page: 1 });
    await execute({ page: 2 });
    expect([run.view.toolCalls, run.view.pending.size]).toEqual([2, 0]);
  });

  it("puts the run into a call once if its options are wrapped twice", async () => {
    const server = await script([call("look"), { text: "Done." }]);
    const run = createRun();
    const events = eventsOf(run);
    const options = {
      model: connect(server.url)("m"),
      tools: toolsOf(major, () => "seen"),
      prompt: "go",
      stopWhen: sdk.stepCountIs(5),
    };
    await sdk.generateText(withPhases(run, withPhases(run, options)));
    expect(types(events)).toEqual([
      "run.started",
      "message.received",
      "turn.started",
      "model.answered",
      "tool.requested",
      "tool.finished",
      "turn.started",
      "model.answered",
      "message.sent",
    ]);
  });
});

describe("plain tools", () => {
  it("fail if their result is not ok, so that the model sees an error", async () => {
    const { ask } = toAiTools(
      [
        {
          name: "ask",
          description: "",
          inputSchema: {},
          execute: (input) => (input === 1 ? { ok: true, text: "yes" } : { ok: false, text: "Say what you need." }),
        },
      ],
      { jsonSchema: (schema: unknown) => schema },
    );
    expect(await ask?.execute(1)).toBe("yes");
    await expect(ask?.execute(2)).rejects.toThrow("Say what you need.");
  });
});

describe.each(majors.filter(({ major }) => major > 5))("an agent of ai $version that prepares its calls", (major) => {
  const { sdk, connect } = major;
  const never = definePolicy({ name: "never", decide: { "tool.requested": () => refuse("Never.") } });

  it("is recorded with the model and the tools it chooses for a call", async () => {
    const server = await script([call("look"), { text: "Done." }]);
    const run = createRun({ mode: "gate", policies: [never] });
    const events = eventsOf(run);
    let made = 0;
    const chosen = { model: connect(server.url)("chosen"), tools: toolsOf(major, () => (made += 1)) };
    const agent = new sdk.ToolLoopAgent({
      model: connect(server.url)("m"),
      prepareCall: () => ({ ...chosen, prompt: "go", stopWhen: sdk.stepCountIs(5) }) as never,
    });
    await withPhases(run, agent).generate({ prompt: "go" });
    expect(made).toBe(0);
    expect(types(events)).toEqual([
      "run.started",
      "message.received",
      "turn.started",
      "model.answered",
      "tool.requested",
      "tool.refused",
      "turn.started",
      "model.answered",
      "message.sent",
    ]);
    expect(seenRequest(server.requests[0]!).model).toBe("chosen");
  });

  it("is recorded once if it passes its settings on, and stops with the run", async () => {
    const server = await script([call("look"), call("look")]);
    const run = createRun({ policies: [haltAfterTools] });
    const events = eventsOf(run);
    const agent = new sdk.ToolLoopAgent({
      model: connect(server.url)("m"),
      tools: toolsOf(major, () => "seen"),
      prepareCall: (settings) => ({ ...settings, instructions: "Be brief." }),
    });
    const { finishReason } = await withPhases(run, agent).generate({ prompt: "go" });
    expect([finishReason, server.requests.length]).toEqual(["tool-calls", 1]);
    expect(types(events)).toEqual([
      "run.started",
      "message.received",
      "turn.started",
      "model.answered",
      "tool.requested",
      "tool.finished",
      "stop.requested",
    ]);
    expect(seenRequest(server.requests[0]!).messages[0]?.text).toBe("Be brief.");
  });

  it("records a call a person does not approve as denied", async () => {
    const server = await script([call("look"), { text: "Then not." }]);
    const run = createRun();
    const events = eventsOf(run);
    const tools = { look: { ...toolsOf(major, () => "seen").look, needsApproval: true } };
    const asked = await sdk.generateText(withPhases(run, { model: connect(server.url)("m"), tools, prompt: "go" }));
    const { approvalId } = asked.content.find((part) => part.type === "tool-approval-request") as {
      readonly approvalId: string;
    };
    const messages = [
      { role: "user", content: "go" },
      // oxlint-disable-next-line typescript/no-deprecated -- its name in every major
      ...asked.response.messages,
      { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: false, reason: "Too dear." }] },
    ] as ModelMessage[];
    await sdk.generateText(withPhases(run, { model: connect(server.url)("m"), tools, messages }));
    expect(events.filter(({ type }) => type === "tool.finished")).toMatchObject([
      { outcome: "denied", output: "Too dear." },
    ]);
  });
});

describe("withPhases and an agent without settings", () => {
  it("throws UNKNOWN_AGENT", () => {
    expect(() => withPhases(createRun(), { generate: () => undefined })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_AGENT" }) as Error,
    );
  });
});

describe("ai 7 only", () => {
  const { sdk, connect } = newest;
  const createSteering = () => sdk.experimental_createSteering();

  it("calls onStepEnd instead of onStepFinish if the caller has it, and still vetoes a finish", async () => {
    const server = await script([{ text: "Done." }, { text: "Done now." }]);
    const run = createRun({ mode: "gate", policies: [gate], maxVetoes: { sinceProgress: 1, inAll: 1 } });
    const seen: string[] = [];
    const options = {
      model: connect(server.url)("m"),
      prompt: "go",
      stopWhen: sdk.stepCountIs(5),
      onStepEnd: ({ text }: { text: string }) => {
        seen.push(text);
      },
    };
    const { text } = await sdk.generateText(withPhases(run, options, { createSteering }));
    expect([text, seen]).toEqual(["Done now.", ["Done.", "Done now."]]);
  });

  it("records failures as telemetry, too", () => {
    const run = createRun();
    const events = eventsOf(run);
    const { onStepStart, onLanguageModelCallEnd, onToolExecutionEnd, onStepError } = phaseTelemetry(run);
    onStepStart({});
    onLanguageModelCallEnd({
      content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: {} }],
      finishReason: "tool-calls",
    });
    onToolExecutionEnd({
      toolCall: { toolCallId: "c1", toolName: "look" },
      toolOutput: { type: "tool-error", error: Object.assign(new Error("exit 2"), { exitCode: 2 }) },
      toolExecutionMs: 4,
    });
    onStepStart({});
    onStepError({ error: Object.assign(new Error("too many requests"), { statusCode: 429 }) });
    expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({
      outcome: "error",
      exitCode: 2,
      durationMs: 4,
    });
    expect(events.at(-1)).toMatchObject({ type: "model.failed", message: "too many requests" });
  });

  it("gives every call of an agent its own steering", async () => {
    const server = await script([{ text: "Done." }, { text: "Done!" }, { text: "Done." }, { text: "Done!" }]);
    const runs: RunPort[] = [];
    const source = () => {
      const run = createRun({ mode: "gate", policies: [gate] });
      runs.push(run);
      return run;
    };
    const agent = withPhases(source, new sdk.ToolLoopAgent({ model: connect(server.url)("m") }), { createSteering });
    const texts = [(await agent.generate({ prompt: "one" })).text, (await agent.generate({ prompt: "two" })).text];
    expect(texts).toEqual(["Done!", "Done!"]);
    expect(runs).toHaveLength(2);
    expect(seenRequest(server.requests[1]!).messages.map(({ role, text }) => `${role} ${text}`)).toEqual([
      "user one",
      "assistant Done.",
      "user <phasekit>\nNot yet.\n</phasekit>",
    ]);
  });

  it("records a veto the host did not deliver", async () => {
    const server = await script([{ text: "Done." }]);
    const run = createRun({ mode: "gate", policies: [gate] });
    const events = eventsOf(run);
    // generateText takes one step by default: the loop ends before the message is sent.
    await sdk.generateText(withPhases(run, { model: connect(server.url)("m"), prompt: "go" }, { createSteering }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(events.at(-1)).toMatchObject({ type: "event.recorded", name: "veto.lost", data: { why: "stop-condition" } });
  });

  it("only records as telemetry, and records a nudge as lost", async () => {
    const server = await script([call("look"), { text: "Done.", usage: { input: 5, output: 1 } }]);
    const speak = definePolicy({
      name: "speak",
      decide: { "turn.started": ({ turn }) => (turn === 2 ? nudge("Hurry.") : undefined) },
    });
    const run = createRun({ policies: [speak] });
    const events = eventsOf(run);
    await sdk.generateText({
      model: connect(server.url)("m"),
      tools: toolsOf(newest, () => "seen"),
      prompt: "go",
      stopWhen: sdk.stepCountIs(5),
      telemetry: { integrations: [phaseTelemetry(run)] },
    });
    expect(seenRequest(server.requests[1]!).messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(eventsToLines(events, { ignore: ["meaning", "hash", "excerpt"] })).toMatchInlineSnapshot(`
      [
        "turn.started turn=1",
        "model.answered turn=1 finishReason="tool-calls" textLength=0 toolCalls=1",
        "tool.requested turn=1 index=0 tool="look" input={}",
        "tool.finished turn=1 index=0 tool="look" outcome="ok" output="seen"",
        "turn.started turn=2",
        "nudge.sent by="speak" turn=2 nudge="nudge-1" text="Hurry." episode="working#1" applied=true",
        "nudge.lost turn=2 nudge="nudge-1" why="telemetry only watches"",
        "model.answered turn=2 usage={"inputTokens":5,"outputTokens":1} finishReason="stop" textLength=5 toolCalls=0",
        "message.sent turn=2 length=5",
      ]
    `);
  });

  it("records the answer of a model given by name before its tools run", async () => {
    const server = await script([call("look"), { text: "Done." }]);
    const model = connect(server.url);
    (globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown }).AI_SDK_DEFAULT_PROVIDER = {
      languageModel: (id: string) => model(id),
      specificationVersion: "v4",
    };
    const run = createRun();
    const events = eventsOf(run);
    let ends = 0;
    await sdk.generateText(
      withPhases(run, {
        model: "some-model",
        tools: toolsOf(newest, () => "seen"),
        prompt: "go",
        stopWhen: sdk.stepCountIs(5),
        onLanguageModelCallEnd: () => {
          ends += 1;
        },
      }),
    );
    expect(types(events)).toEqual([
      "run.started",
      "message.received",
      "turn.started",
      "model.answered",
      "tool.requested",
      "tool.finished",
      "turn.started",
      "model.answered",
      "message.sent",
    ]);
    // The caller's own callback runs as well.
    expect(ends).toBe(2);
  });
});
