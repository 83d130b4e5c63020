import { createRun, definePolicy, nudge, phaseStatusTool, type RunEvent, type RunPort, stop } from "@phasekit/core";
import {
  type OpenAiServer,
  type ScriptedAnswer,
  seenRequest,
  startOpenAiServer,
} from "@phasekit/tooling/openai-server";
import { afterEach, describe, expect, it } from "vitest";
import {
  applyTurn,
  executeTools,
  recordResponse,
  sealDanglingToolCalls,
  toChatTools,
  toResponsesTools,
  withPhases,
} from "../src/index.ts";
import { majors } from "./majors.ts";

const servers: OpenAiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
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
const hello = { model: "m", messages: [{ role: "user" as const, content: "hello" }] };
const speak = (turn: number) =>
  definePolicy({
    name: "speak",
    decide: { "turn.started": (run) => (run.turn === turn ? nudge("Hurry.") : undefined) },
  });
const tools = toChatTools([
  {
    name: "look",
    description: "looks",
    inputSchema: { type: "object", properties: {} },
    execute: () => ({ ok: true, text: "seen" }),
  },
]);

describe.each(majors)("the wrapped client of openai $version", ({ connect }) => {
  it("keeps the result of create an APIPromise: withResponse, asResponse, parse", async () => {
    const server = await script([{ text: "one" }, { text: "two" }, { text: '{"a":1}' }]);
    const run = createRun();
    const events = eventsOf(run);
    const client = withPhases(run, connect(server.url));
    const { data, response } = await client.chat.completions.create(hello).withResponse();
    expect([data.choices[0]?.message.content, response.status]).toEqual(["one", 200]);
    const raw = await client.chat.completions.create(hello).asResponse();
    expect(((await raw.json()) as { choices: { message: { content: string } }[] }).choices[0]?.message.content).toBe(
      "two",
    );
    const parsed = await client.chat.completions.parse({ ...hello, response_format: { type: "json_object" } });
    expect(parsed.choices[0]?.message.content).toBe('{"a":1}');
    // A body that is never parsed is not recorded.
    expect(types(events).filter((type) => type === "model.answered")).toHaveLength(2);
  });

  it("records the helpers chat.completions.stream and responses.stream", async () => {
    const server = await script([
      { text: "one", usage: { input: 3, output: 1 } },
      { text: "two", usage: { input: 4, output: 1 } },
    ]);
    const run = createRun();
    const events = eventsOf(run);
    const client = withPhases(run, connect(server.url));
    expect((await client.chat.completions.stream(hello).finalChatCompletion()).choices[0]?.message.content).toBe("one");
    expect((await client.responses.stream({ model: "m", input: "hello" }).finalResponse()).output).toMatchObject([
      { content: [{ text: "two" }] },
    ]);
    expect(events.filter(({ type }) => type === "model.answered")).toMatchObject([
      { usage: { inputTokens: 3 } },
      { usage: { inputTokens: 4 } },
    ]);
  });

  it("records runTools and the results it sends", async () => {
    const server = await script([{ calls: [{ id: "c1", tool: "look", input: { path: "a" } }] }, { text: "Done." }]);
    const run = createRun();
    const events = eventsOf(run);
    const runner = withPhases(run, connect(server.url)).chat.completions.runTools({
      ...hello,
      tools: [
        {
          type: "function",
          function: {
            name: "look",
            description: "looks",
            parameters: { type: "object", properties: {} },
            function: () => "seen",
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("Done.");
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

  it("wraps clones made with withOptions and does not change the given client", async () => {
    const server = await script([{ text: "one" }, { text: "two" }]);
    const run = createRun();
    const bare = connect(server.url);
    await withPhases(run, bare).withOptions({ timeout: 5000 }).chat.completions.create(hello);
    expect(run.view.turn).toBe(1);
    await bare.chat.completions.create(hello);
    expect(run.view.turn).toBe(1);
  });

  it("records the usage of a stream and hides the usage chunk the caller did not ask for", async () => {
    const server = await script([
      { text: "hello", usage: { input: 3, output: 1 } },
      { text: "hello", usage: { input: 3, output: 1 } },
    ]);
    const run = createRun();
    const client = withPhases(run, connect(server.url));
    let empty = 0;
    for await (const chunk of await client.chat.completions.create({ ...hello, stream: true }))
      if (chunk.choices.length === 0) empty += 1;
    expect([empty, run.view.usage.inputTokens]).toEqual([0, 3]);
    for await (const chunk of await client.chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    }))
      if (chunk.choices.length === 0) empty += 1;
    expect([empty, run.view.usage.inputTokens]).toEqual([1, 6]);
  });

  it("records an abort if the reader leaves in the middle of a stream", async () => {
    const server = await script([{ text: "a long answer nobody reads to its end" }]);
    const run = createRun();
    const events = eventsOf(run);
    for await (const chunk of await withPhases(run, connect(server.url)).chat.completions.create({
      ...hello,
      stream: true,
    }))
      if (chunk.choices[0]?.delta.content) break;
    expect(types(events)).toEqual(["run.started", "message.received", "turn.started", "model.failed"]);
  });

  it("records a retried call once, with its final answer", async () => {
    const server = await script([{ fails: { status: 500, code: "server_error" } }, { text: "one" }]);
    const run = createRun();
    const events = eventsOf(run);
    await withPhases(run, connect(server.url)).chat.completions.create(hello, { maxRetries: 1 });
    expect(types(events)).toEqual([
      "run.started",
      "message.received",
      "turn.started",
      "model.answered",
      "message.sent",
    ]);
  });

  it("records a teed stream once", async () => {
    const server = await script([{ text: "hello" }]);
    const run = createRun();
    const stream = await withPhases(run, connect(server.url)).chat.completions.create({ ...hello, stream: true });
    const texts = await Promise.all(
      stream.tee().map(async (branch) => {
        let text = "";
        for await (const chunk of branch) text += chunk.choices[0]?.delta.content ?? "";
        return text;
      }),
    );
    expect([...texts, run.view.usage.modelCalls]).toEqual(["hello", "hello", 1]);
  });

  it("finds the run by the request if given a function", async () => {
    const server = await script([{ text: "one" }, { text: "two" }]);
    const runs = { a: createRun({ id: "a" }), b: createRun({ id: "b" }) };
    const client = withPhases(({ body }) => runs[body["prompt_cache_key"] as "a" | "b"], connect(server.url));
    await client.chat.completions.create({ ...hello, prompt_cache_key: "a" });
    await client.chat.completions.create({ ...hello, prompt_cache_key: "b" });
    expect([runs.a.view.turn, runs.b.view.turn]).toEqual([1, 1]);
  });

  it("turns a stop into one closing turn without tools, then an error", async () => {
    const server = await script([
      { calls: [{ id: "c1", tool: "look", input: {} }] },
      { text: "Stopped." },
      { text: "never" },
    ]);
    const run = createRun({
      policies: [
        definePolicy({ name: "halt", decide: { "tool.finished": () => stop({ how: "halt", text: "Stop here." }) } }),
      ],
    });
    const client = withPhases(run, connect(server.url));
    const messages: object[] = [...hello.messages];
    const ask = () =>
      client.chat.completions.create({ model: "m", messages: messages as typeof hello.messages, tools });
    const first = await ask();
    messages.push(first.choices[0]!.message, ...(await executeTools(run, first, { handlers: { look: () => "seen" } })));
    await ask();
    const { toolChoice, messages: sent } = seenRequest(server.requests[1]!);
    expect([toolChoice, sent.at(-1)?.text]).toEqual(["none", "<phasekit>\nStop here.\n</phasekit>"]);
    await expect(async () => ask()).rejects.toMatchObject({ code: "RUN_STOPPED" });
    expect(server.requests).toHaveLength(2);
  });

  it("sends a nudge once to a server that keeps the conversation", async () => {
    const server = await script([{ text: "one" }, { text: "two" }, { text: "three" }]);
    const client = withPhases(createRun({ policies: [speak(2)] }), connect(server.url));
    let previous = (await client.responses.create({ model: "m", input: "hello" })).id;
    previous = (
      await client.responses.create({
        model: "m",
        input: [{ role: "user", content: "go on" }],
        previous_response_id: previous,
      })
    ).id;
    await client.responses.create({
      model: "m",
      input: [{ role: "user", content: "and on" }],
      previous_response_id: previous,
    });
    expect(seenRequest(server.requests[2]!).messages.map(({ role, text }) => `${role} ${text}`)).toEqual([
      "user hello",
      "assistant one",
      "user go on",
      "user <phasekit>\nHurry.\n</phasekit>",
      "assistant two",
      "user and on",
    ]);
  });
});

describe("applyTurn", () => {
  it.each([{ previous_response_id: "r1" }, { conversation: "conv_1" }])(
    "sends a nudge once to a server that keeps the conversation: %o",
    (kept) => {
      const run = createRun({ policies: [speak(1)] });
      const said = { role: "user", content: "<phasekit>\nHurry.\n</phasekit>" };
      const first = { role: "user", content: "go" };
      expect(applyTurn(run, { ...kept, input: [first] }).input).toEqual([first, said]);
      run.record({ type: "model.answered" });
      // Some loops send the same list again. Nudges the server already has are not put back.
      expect(applyTurn(run, { ...kept, input: [first] }).input).toEqual([first]);
    },
  );

  const graph = {
    name: "g",
    initial: "a",
    phases: { a: { next: [], final: true, tools: { deny: ["look"] } } },
  } as const;
  const other = { type: "function", function: { name: "other" } };

  it.each([
    { offer: "execution", expected: { tools: [...tools, other] } },
    { offer: "filter", expected: { tools: [other] } },
    {
      offer: "allowed",
      expected: {
        tools: [...tools, other],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "other" } }] },
        },
      },
    },
  ] as const)("offers the tools of a phase by $offer", ({ offer, expected }) => {
    const body = applyTurn(createRun({ graph, mode: "gate" }), { messages: [], tools: [...tools, other] }, { offer });
    expect(body).toEqual({ messages: [], ...expected });
  });

  it("writes allowed tools in the form of the Responses API", () => {
    const body = applyTurn(
      createRun({ graph, mode: "gate" }),
      {
        input: [],
        tools: [
          { type: "function", name: "look" },
          { type: "function", name: "other" },
        ],
      },
      { offer: "allowed" },
    );
    expect(body).toMatchObject({
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "other" }] },
    });
  });

  it("adds no tool choice to a closing turn without tools, which providers reject", () => {
    const run = createRun();
    run.beforeTurn();
    run.stop({ how: "wrap-up" });
    run.record({ type: "model.answered" });
    expect(applyTurn(run, { messages: [] })).not.toHaveProperty("tool_choice");
  });

  it("records a nudge between a call and its result as lost, so that it can be sent later", () => {
    const run = createRun({ policies: [speak(1)] });
    const events = eventsOf(run);
    const dangling = [
      { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }] },
    ];
    expect(applyTurn(run, { messages: dangling })).toEqual({ messages: dangling });
    expect(events.at(-1)).toMatchObject({ type: "nudge.lost", nudge: "nudge-1" });
  });

  it("does not repeat a nudge the loop keeps in its messages", () => {
    const run = createRun({ policies: [speak(1)] });
    const once = applyTurn(run, { messages: [{ role: "user", content: "hello" }] });
    expect(applyTurn(run, once).messages).toEqual(once.messages);
    expect(once.messages).toHaveLength(2);
  });
});

describe("executeTools", () => {
  const completion = (...calls: readonly object[]) => ({
    choices: [{ message: { content: null, tool_calls: calls }, finish_reason: "tool_calls" }],
  });

  it("answers arguments that are not JSON with an error and does not make the call", async () => {
    const run = createRun();
    let made = 0;
    const results = await executeTools(
      run,
      completion({ id: "c1", function: { name: "look", arguments: '{"path": ' } }),
      { handlers: { look: () => (made += 1) } },
    );
    expect(made).toBe(0);
    expect(results).toMatchObject([{ role: "tool", tool_call_id: "c1" }]);
    expect(results[0]?.content).toMatch(/^Error: The arguments are not valid JSON/);
  });

  it("keeps exit codes and output of commands that fail", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const failing = () => {
      throw Object.assign(new Error("Command failed"), { exitCode: 2, stdout: "1 failed", stderr: "" });
    };
    await executeTools(run, completion({ id: "c1", function: { name: "run", arguments: "{}" } }), {
      handlers: { run: failing },
    });
    expect(events.at(-1)).toMatchObject({
      type: "tool.finished",
      outcome: "error",
      exitCode: 2,
      output: { stdout: "1 failed" },
    });
  });

  it("makes calls in parallel and returns results in the order of the calls", async () => {
    const order: string[] = [];
    const wait = (name: string, turns: number) => async () => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      order.push(name);
      return name;
    };
    const calls = [
      { id: "c1", function: { name: "slow", arguments: "" } },
      { id: "c2", function: { name: "quick", arguments: "" } },
    ];
    const results = await executeTools(createRun(), completion(...calls), {
      handlers: { slow: wait("slow", 50), quick: wait("quick", 1) },
    });
    expect(order).toEqual(["quick", "slow"]);
    expect(results.map(({ content }) => content)).toEqual(["slow", "quick"]);
  });

  it("runs plain tools and records a result that is not ok as an error", async () => {
    const run = createRun();
    const no = {
      name: "no",
      description: "says no",
      inputSchema: { type: "object" },
      execute: () => ({ ok: false, text: "No." }),
    };
    const plain = [phaseStatusTool(run), no];
    const calls = [
      { id: "c1", function: { name: "phase_status", arguments: "{}" } },
      { id: "c2", function: { name: "no", arguments: "{}" } },
    ];
    const results = await executeTools(run, completion(...calls), { tools: plain });
    expect(results.map(({ content }) => content)).toEqual([
      'Phase "working" (running), 1 turns in it.\nNo phase follows.',
      "Error: No.",
    ]);
    expect(toResponsesTools(plain)[1]).toEqual({
      type: "function",
      name: "no",
      description: "says no",
      parameters: { type: "object" },
      strict: false,
    });
  });
});

describe("recordResponse", () => {
  it("records an answer once", () => {
    const run = createRun();
    const events = eventsOf(run);
    const completion = { id: "x", choices: [{ message: { content: "hi" }, finish_reason: "stop" }] };
    recordResponse(run, completion);
    recordResponse(run, completion);
    recordResponse(run, { ...completion });
    expect(types(events)).toEqual(["run.started", "model.answered", "message.sent"]);
  });

  it.each([
    {
      name: "an error a gateway put into a success",
      response: { error: { code: 429, message: "slow down" } },
      expected: { type: "model.failed", inBody: true, code: "429", message: "slow down" },
    },
    {
      name: "a failed response",
      response: { object: "response", status: "failed", output: [], error: { code: "server_error", message: "oh" } },
      expected: { type: "model.failed", inBody: true, code: "server_error" },
    },
    {
      name: "a cut-off response",
      response: {
        object: "response",
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output: [],
      },
      expected: { type: "model.answered", finishReason: "length" },
    },
    {
      name: "a body that says nothing",
      response: {},
      expected: { type: "model.answered", textLength: 0, toolCalls: 0 },
    },
  ])("reads $name", ({ response, expected }) => {
    const run = createRun();
    const events = eventsOf(run);
    recordResponse(run, response);
    expect(events[1]).toMatchObject(expected);
  });
});

describe("sealDanglingToolCalls", () => {
  const chat = [
    { role: "user", content: "go" },
    { role: "assistant", tool_calls: [{ id: "c1" }, { id: "c2" }] },
    { role: "tool", tool_call_id: "c1", content: "seen" },
  ];

  it("adds missing results after the existing ones", () => {
    expect(sealDanglingToolCalls<object>(chat, { text: "stopped" })).toEqual([
      ...chat,
      { role: "tool", tool_call_id: "c2", content: "stopped" },
    ]);
  });

  it("adds results to Responses items", () => {
    const items = [
      { type: "function_call", call_id: "c1" },
      { type: "function_call", call_id: "c2" },
      { type: "function_call_output", call_id: "c2", output: "seen" },
      { role: "user", content: "hm" },
    ];
    expect(sealDanglingToolCalls<object>(items, { text: "stopped" })).toEqual([
      ...items.slice(0, 3),
      { type: "function_call_output", call_id: "c1", output: "stopped" },
      items[3],
    ]);
  });

  it("does not change a complete conversation", () => {
    const sealed = sealDanglingToolCalls<object>(chat);
    expect(sealDanglingToolCalls(sealed)).toEqual(sealed);
  });
});
