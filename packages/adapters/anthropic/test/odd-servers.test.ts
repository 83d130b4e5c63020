import { createRun } from "@phasekit/core";
import { Anthropic } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { recordResponse, withPhases } from "../src/index.ts";
import { eventsOf, ofType, readAll } from "./server-kit.ts";

const hello = { model: "m", max_tokens: 100, messages: [{ role: "user" as const, content: "hello" }] };

/** A client whose server answers with one body, in whatever form it is. */
function clientOf(body: unknown, type = "application/json"): Anthropic {
  const fetch = () =>
    Promise.resolve(
      new Response(typeof body === "string" ? body : JSON.stringify(body), { headers: { "content-type": type } }),
    );
  return new Anthropic({ apiKey: "none", maxRetries: 0, fetch });
}

const sse = (...events: object[]): string =>
  events.map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

describe("a server that is not Anthropic's", () => {
  it.each([
    { name: "an empty object", body: {}, expected: { textLength: 0, toolCalls: 0 } },
    { name: "content as text", body: { content: "hi" }, expected: { textLength: 2 } },
    { name: "null usage", body: { content: [], usage: null }, expected: { textLength: 0 } },
    { name: "usage as text", body: { content: [], usage: { input_tokens: "9", output_tokens: 2 } }, expected: {} },
    {
      name: "a stop reason of its own",
      body: { content: [], stop_reason: "banana" },
      expected: { finishReason: "banana" },
    },
    { name: "null blocks", body: { content: [null, 3, { type: "text" }] }, expected: { textLength: 0 } },
  ])("records an answer with $name", async ({ body, expected }) => {
    const run = createRun();
    const events = eventsOf(run);
    await withPhases(run, clientOf(body)).messages.create(hello);
    expect(ofType(events, "model.answered")).toMatchObject([expected]);
    expect(ofType(events, "event.recorded")).toEqual([]);
  });

  it("records an error that was sent with status 200, and a body that is not an object", async () => {
    for (const body of [{ type: "error", error: { type: "overloaded_error", message: "busy" } }, '"text"']) {
      const run = createRun();
      const events = eventsOf(run);
      await withPhases(run, clientOf(body)).messages.create(hello);
      expect(ofType(events, "model.failed")).toHaveLength(1);
    }
  });

  it("tells calls apart that have one id or none", () => {
    const run = createRun();
    const block = (id?: string) => ({ type: "tool_use", name: "look", input: {}, ...(id !== undefined && { id }) });
    const events = eventsOf(run);
    recordResponse(run, { content: [block("a"), block("a"), block(), block()] });
    expect(ofType(events, "tool.requested").map(({ call }) => call)).toEqual(["a", "a#2", "look#3", "look#4"]);
  });

  it("records no answer twice, and loses none, if the server gives every answer the same id", async () => {
    const run = createRun();
    const client = withPhases(run, clientOf({ id: "same", content: [], usage: { input_tokens: 1, output_tokens: 1 } }));
    for (let turn = 0; turn < 3; turn += 1) recordResponse(run, await client.messages.create(hello));
    expect(run.view.usage.modelCalls).toBe(3);
  });

  it.each([
    { name: "without message_stop", end: [{ type: "message_delta", delta: { stop_reason: "end_turn" } }], failed: 0 },
    { name: "that just ends", end: [], failed: 1 },
    { name: "with an unknown event", end: [{ type: "surprise" }, { type: "message_stop" }], failed: 0 },
  ])("records a stream $name", async ({ end, failed }) => {
    const start = [
      { type: "message_start", message: { id: "m", content: [], usage: { input_tokens: 7 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
    ];
    const run = createRun();
    const events = eventsOf(run);
    const client = withPhases(run, clientOf(sse(...start, ...end), "text/event-stream"));
    await readAll(await client.messages.create({ ...hello, stream: true }));
    expect([ofType(events, "model.failed").length, ofType(events, "model.answered").length]).toEqual([
      failed,
      1 - failed,
    ]);
  });

  it("records streamed arguments that are not JSON, for executeTools to answer", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const body = sse(
      { type: "message_start", message: { id: "m", content: [] } },
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a", name: "look", input: {} } },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"path":' } },
      { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    );
    const client = withPhases(run, clientOf(body, "text/event-stream"));
    await readAll(await client.messages.create({ ...hello, stream: true }));
    expect(ofType(events, "tool.requested")).toMatchObject([{ input: '{"path":' }]);
  });
});
