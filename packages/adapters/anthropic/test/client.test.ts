import { createRun, definePolicy, nudge, phaseStatusTool, type RunPort, stop } from "@phasekit/core";
import { seenAnthropicRequest } from "@phasekit/tooling/anthropic-server";
import { describe, expect, it } from "vitest";
import {
  applyTurn,
  executeTools,
  recordResponse,
  sealDanglingToolCalls,
  toAnthropicTools,
  watchStream,
  withPhases,
} from "../src/index.ts";
import { connect } from "./anthropic-harness.ts";
import { eventsOf, ofType, readAll, startServer } from "./server-kit.ts";

const hello = { model: "m", max_tokens: 100, messages: [{ role: "user" as const, content: "hello" }] };
const speak = (turn: number) =>
  definePolicy({
    name: "speak",
    decide: { "turn.started": (run) => (run.turn === turn ? nudge("Hurry.") : undefined) },
  });
const HURRY = "<phasekit>\nHurry.\n</phasekit>";
const tools = toAnthropicTools([
  { name: "look", description: "looks", inputSchema: { properties: {} }, execute: () => ({ ok: true, text: "seen" }) },
]);
const call = (id: string) => ({ type: "tool_use" as const, id, name: "look", input: {} });
const result = (id: string) => ({ type: "tool_result" as const, tool_use_id: id, content: "seen" });

describe("the wrapped client", () => {
  it("keeps the result of create an APIPromise: withResponse, asResponse, parse", async () => {
    const server = await startServer([{ text: "one" }, { text: "two" }, { text: '{"a":1}' }]);
    const run = createRun();
    const events = eventsOf(run);
    const client = withPhases(run, connect(server.url));
    const { data, response } = await client.messages.create(hello).withResponse();
    expect([data.content[0], response.status]).toMatchObject([{ text: "one" }, 200]);
    const raw = await client.messages.create(hello).asResponse();
    expect(await raw.json()).toMatchObject({ content: [{ text: "two" }] });
    expect((await client.messages.parse(hello)).content[0]).toMatchObject({ text: '{"a":1}' });
    // A body that is never parsed is not recorded.
    expect(ofType(events, "model.answered")).toHaveLength(2);
  });

  it("sends the very bytes of the bare client as long as there is nothing to say", async () => {
    const server = await startServer(() => ({ text: "ok" }));
    const bodies = [
      hello,
      {
        ...hello,
        system: [{ type: "text" as const, text: "s", cache_control: { type: "ephemeral" as const } }],
        tools,
      },
      {
        ...hello,
        messages: [
          ...hello.messages,
          { role: "assistant" as const, content: [call("a")] },
          { role: "user" as const, content: [{ ...result("a"), cache_control: { type: "ephemeral" as const } }] },
        ],
        tools,
      },
    ];
    const wrapped = withPhases(createRun(), connect(server.url));
    for (const body of bodies) {
      await connect(server.url).messages.create(body);
      await wrapped.messages.create(body);
      await connect(server.url).beta.messages.create(body);
      await wrapped.beta.messages.create(body);
    }
    const sent = server.requests.map(({ text }) => text);
    expect(sent).toHaveLength(12);
    for (let index = 0; index < sent.length; index += 2) expect(sent[index + 1]).toBe(sent[index]);
  });

  it("puts a nudge at the end of the last user message, and back there in every later request", async () => {
    const server = await startServer([
      { calls: [{ id: "a", tool: "look" }] },
      { calls: [{ id: "b", tool: "look" }] },
      {},
    ]);
    const run = createRun({ policies: [speak(2)] });
    const client = withPhases(run, connect(server.url));
    const messages: object[] = [...hello.messages];
    for (const id of ["a", "b"]) {
      const { content } = await client.messages.create({ ...hello, tools, messages: messages as never });
      messages.push({ role: "assistant", content }, { role: "user", content: [result(id)] });
    }
    await client.messages.create({ ...hello, tools, messages: messages as never });
    const [, second, third] = server.requests.map(({ body }) => JSON.stringify(body["messages"]));
    expect(second).toContain(JSON.stringify([result("a"), { type: "text", text: HURRY }]));
    // The bytes up to the nudge, and the nudge itself, are a prefix of the next request.
    expect(third?.startsWith(second?.slice(0, -1) ?? "none")).toBe(true);
  });

  it("records streams: messages.stream, raw events, a teed stream once", async () => {
    const answer = { text: "one", usage: { input: 9, output: 2, cached: 4 } };
    const server = await startServer([answer, answer, answer]);
    const run = createRun();
    const events = eventsOf(run);
    const client = withPhases(run, connect(server.url));
    expect(await client.messages.stream(hello).finalText()).toBe("one");
    await readAll(await client.messages.create({ ...hello, stream: true }));
    const [left, right] = (await client.beta.messages.create({ ...hello, stream: true })).tee();
    await readAll(left);
    await readAll(right);
    const usage = { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 };
    expect(ofType(events, "model.answered")).toMatchObject([{ usage }, { usage }, { usage }]);
  });

  it("records an abort if the reader leaves in the middle of a stream", async () => {
    const server = await startServer([{ text: "a long answer that goes on" }]);
    const run = createRun();
    const events = eventsOf(run);
    const stream = await withPhases(run, connect(server.url)).messages.create({ ...hello, stream: true });
    for await (const event of stream) if (event.type === "content_block_delta") break;
    expect(ofType(events, "model.failed")).toMatchObject([{ code: "aborted" }]);
    expect(ofType(events, "model.answered")).toEqual([]);
  });

  it("records a stream that breaks off, with the error of the library", async () => {
    const server = await startServer([{ text: "a long answer that goes on", breaksAfter: 4 }]);
    const run = createRun();
    const events = eventsOf(run);
    const stream = await withPhases(run, connect(server.url)).messages.create({ ...hello, stream: true });
    await expect(readAll(stream)).rejects.toThrow();
    expect(ofType(events, "model.failed")).toHaveLength(1);
  });

  it("records the library's names of errors and the times of quotas", async () => {
    const server = await startServer([
      { fails: { status: 529, code: "overloaded_error" } },
      {
        text: "ok",
        headers: {
          "x-ratelimit-remaining-requests": "5",
          "x-ratelimit-reset-requests": "2026-01-01T00:01:00Z",
        },
      },
    ]);
    const now = Date.parse("2026-01-01T00:00:00Z");
    const run = createRun({ clock: () => now });
    const events = eventsOf(run);
    const client = withPhases(run, connect(server.url));
    await expect(client.messages.create(hello)).rejects.toThrow("script");
    await client.messages.create(hello);
    expect(ofType(events, "model.failed")).toMatchObject([{ status: 529, code: "overloaded_error" }]);
    expect(ofType(events, "quota.observed")).toMatchObject([{ remaining: 5, resetAt: now + 60_000 }]);
  });

  it("wraps clones made with withOptions and does not change the given client", async () => {
    const server = await startServer([{ text: "one" }, { text: "two" }]);
    const run = createRun();
    const bare = connect(server.url);
    const clone = withPhases(run, bare).withOptions({ timeout: 5000 });
    await clone.messages.create(hello);
    await bare.messages.create(hello);
    expect(run.view.usage.modelCalls).toBe(1);
  });

  it("wraps a client without withOptions", async () => {
    const server = await startServer([{ text: "one" }]);
    const { messages, beta } = connect(server.url);
    const run = createRun();
    const plain = { messages, beta };
    await withPhases(run, plain).messages.create(hello);
    expect([run.view.usage.modelCalls, plain.messages]).toEqual([1, messages]);
  });

  it("finds the run by the request if given a function", async () => {
    const server = await startServer([{ text: "one" }, { text: "two" }]);
    const runs: Record<string, RunPort> = { a: createRun(), b: createRun() };
    const client = withPhases(({ body }) => runs[String(body["model"])]!, connect(server.url));
    await client.messages.create({ ...hello, model: "a" });
    await client.beta.messages.create({ ...hello, model: "b" });
    expect([runs["a"]?.view.turn, runs["b"]?.view.turn]).toEqual([1, 1]);
  });

  it("turns a stop into one closing turn without tools, then an error", async () => {
    const server = await startServer([{ calls: [{ id: "a", tool: "look" }] }, { text: "I stop." }]);
    const stopping = definePolicy({ name: "s", decide: { "tool.finished": () => stop({ how: "halt" }) } });
    const run = createRun({ policies: [stopping] });
    const client = withPhases(run, connect(server.url));
    const { content } = await client.messages.create({ ...hello, tools });
    const messages = [
      ...hello.messages,
      { role: "assistant" as const, content },
      { role: "user" as const, content: [result("a")] },
    ];
    await client.messages.create({ ...hello, tools, messages });
    expect(server.requests[1]?.body["tool_choice"]).toEqual({ type: "none" });
    expect(seenAnthropicRequest(server.requests[1]!).messages.at(-1)?.text).toContain("This is the last turn");
    expect(() => client.messages.create({ ...hello, tools, messages })).toThrow(
      expect.objectContaining({ code: "RUN_STOPPED" }),
    );
  });
});

describe("applyTurn", () => {
  it.each([
    { name: "a call without a result", last: { role: "assistant", content: [call("a")] } },
    { name: "an answer to be continued", last: { role: "assistant", content: [{ type: "text", text: "It is" }] } },
  ])("records a nudge after $name as lost, so that it can be sent later", ({ last }) => {
    const run = createRun({ policies: [speak(1)] });
    const events = eventsOf(run);
    const body = { ...hello, messages: [...hello.messages, last] };
    expect(applyTurn(run, body)).toEqual(body);
    expect(ofType(events, "nudge.lost")).toHaveLength(1);
  });

  it("does not repeat a nudge the loop keeps in its messages", () => {
    const run = createRun({ policies: [speak(1)] });
    const kept = applyTurn(run, hello);
    expect(applyTurn(run, kept)).toEqual(kept);
  });

  it("sends a nudge once to a server that keeps the thread", () => {
    const run = createRun({ policies: [speak(1)] });
    const thread = { type: "continue", previous_message_id: "m1" };
    const body = { ...hello, thread, messages: [{ role: "user", content: [result("a")] }] };
    expect(applyTurn(run, body).messages).toEqual([
      { role: "user", content: [result("a"), { type: "text", text: HURRY }] },
    ]);
    run.record({ type: "model.answered" });
    expect(applyTurn(run, body)).toEqual(body);
  });

  it("filters the tools of a phase if asked to, and adds no tool choice where there are no tools", () => {
    const graph = { name: "g", initial: "a", phases: { a: { next: [], final: true, tools: { deny: ["look"] } } } };
    const run = createRun({ mode: "gate", graph });
    expect(applyTurn(run, { ...hello, tools }, { offer: "filter" }).tools).toEqual([]);
    expect(applyTurn(run, { ...hello, tools }).tools).toEqual(tools);
    run.stop({ how: "wrap-up" });
    expect(applyTurn(run, { ...hello })).not.toHaveProperty("tool_choice");
  });
});

describe("executeTools", () => {
  const message = (...content: object[]) => ({ id: "m1", role: "assistant", content, stop_reason: "tool_use" });

  it("makes calls in parallel, returns results in the order of the calls, and marks errors", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const wait = (text: string, ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms, text));
    const answer = message(
      { type: "tool_use", id: "1", name: "slow", input: {} },
      { type: "tool_use", id: "2", name: "quick", input: {} },
      { type: "tool_use", id: "3", name: "absent", input: {} },
    );
    const results = await executeTools(run, answer, { handlers: { slow: wait("slow", 20), quick: wait("quick", 1) } });
    expect(results).toMatchObject([
      { tool_use_id: "1", content: "slow" },
      { tool_use_id: "2", content: "quick" },
      { tool_use_id: "3", is_error: true, content: 'Error: Unknown tool "absent". Use one of: slow, quick.' },
    ]);
    expect(results[0]).not.toHaveProperty("is_error");
    expect(ofType(events, "tool.finished").map(({ outcome }) => outcome)).toEqual(["error", "ok", "ok"]);
  });

  it("runs plain tools and records a result that is not ok as an error", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const plain = [
      phaseStatusTool(run),
      { name: "no", description: "", inputSchema: {}, execute: () => ({ ok: false, text: "not now" }) },
    ];
    const answer = message(
      { type: "tool_use", id: "1", name: "phase_status", input: {} },
      { type: "tool_use", id: "2", name: "no", input: {} },
    );
    const results = await executeTools(run, answer, { tools: plain });
    expect(results[0]?.content).toContain('Phase "working"');
    expect(results).toMatchObject([{ tool_use_id: "1" }, { is_error: true }]);
    expect(ofType(events, "tool.finished").map(({ outcome }) => outcome)).toEqual(["ok", "error"]);
  });

  it("makes no call if `approve` throws, and rethrows the error", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const approve = () => Promise.reject(new Error("no answer"));
    let made = 0;
    const handlers = { look: () => (made += 1) };
    await expect(executeTools(run, message(call("1")), { handlers, approve })).rejects.toThrow("no answer");
    expect([made, ofType(events, "tool.finished")]).toMatchObject([0, [{ outcome: "denied" }]]);
  });
});

describe("recordResponse", () => {
  it("records a message once, and a stream the host opened itself", async () => {
    const run = createRun();
    const message = { id: "m1", content: [{ type: "text", text: "hi" }], stop_reason: "end_turn" };
    recordResponse(run, message);
    recordResponse(run, { ...message });
    expect(run.view.usage.modelCalls).toBe(1);
    const server = await startServer([{ text: "streamed" }]);
    run.beforeTurn();
    await readAll(watchStream(run, await connect(server.url).messages.create({ ...hello, stream: true })));
    expect(run.view.usage.modelCalls).toBe(2);
  });
});

describe("sealDanglingToolCalls", () => {
  const user = { role: "user", content: "go" };
  const calls = { role: "assistant", content: [call("a"), call("b")] };

  it("adds missing results before the texts of the next user message, and at the end", () => {
    const text = { type: "text", text: "and then" };
    const missing = (id: string): unknown =>
      expect.objectContaining({ type: "tool_result", tool_use_id: id, is_error: true });
    const more = { role: "assistant", content: [call("c"), call("d")] };
    expect(sealDanglingToolCalls<object>([user, calls, { role: "user", content: [result("a"), text] }, more])).toEqual([
      user,
      calls,
      { role: "user", content: [missing("b"), result("a"), text] },
      more,
      { role: "user", content: [missing("c"), missing("d")] },
    ]);
  });

  it("does not change a complete conversation", () => {
    const whole = [user, calls, { role: "user", content: [result("a"), result("b")] }];
    expect(sealDanglingToolCalls<object>(whole)).toEqual(whole);
  });
});
