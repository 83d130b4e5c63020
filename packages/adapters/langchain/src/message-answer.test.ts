import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { malformedCalls, messagesToAnswer } from "./message-answer.ts";

const tool_calls = [{ type: "tool_call" as const, id: "c1", name: "look", args: { path: "a" } }];

describe("messagesToAnswer", () => {
  it.each([
    { provider: "OpenAI", metadata: { finish_reason: "stop" }, calls: false, reason: "stop" },
    { provider: "OpenAI", metadata: { finish_reason: "tool_calls" }, calls: true, reason: "tool-calls" },
    { provider: "OpenAI", metadata: { finish_reason: "length" }, calls: false, reason: "length" },
    { provider: "OpenAI", metadata: { finish_reason: "content_filter" }, calls: false, reason: "content-filter" },
    { provider: "Responses", metadata: { status: "completed" }, calls: false, reason: "stop" },
    { provider: "Responses", metadata: { status: "completed" }, calls: true, reason: "tool-calls" },
    { provider: "Responses", metadata: { status: "incomplete" }, calls: true, reason: "length" },
    { provider: "Anthropic", metadata: { stop_reason: "end_turn" }, calls: false, reason: "stop" },
    { provider: "Anthropic", metadata: { stop_reason: "tool_use" }, calls: true, reason: "tool-calls" },
    { provider: "Anthropic", metadata: { stop_reason: "max_tokens" }, calls: false, reason: "length" },
    { provider: "Google", metadata: { finishReason: "STOP" }, calls: true, reason: "tool-calls" },
    { provider: "another", metadata: { finish_reason: "eos_token" }, calls: false, reason: "stop" },
    { provider: "another", metadata: {}, calls: false, reason: undefined },
  ])("$provider says $metadata, with calls $calls: $reason", ({ metadata, calls, reason }) => {
    const message = new AIMessage({ content: "x", response_metadata: metadata, tool_calls: calls ? tool_calls : [] });
    expect(messagesToAnswer([message]).finishReason).toBe(reason);
  });

  it("takes the reason that was heard where the message has none, and the message's own before it", () => {
    expect(messagesToAnswer([new AIMessage("x")], { finishReason: "tool_calls" }).finishReason).toBe("tool-calls");
    expect(
      messagesToAnswer([new AIMessage({ content: "x", response_metadata: { finish_reason: "stop" } })], {
        finishReason: "length",
      }).finishReason,
    ).toBe("stop");
  });

  it.each([
    {
      what: "everything",
      usage: {
        input_tokens: 10,
        output_tokens: 2,
        total_tokens: 12,
        input_token_details: { cache_read: 4, cache_creation: 1 },
        output_token_details: { reasoning: 1 },
      },
      expected: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4, cacheWriteTokens: 1, reasoningTokens: 1 },
    },
    {
      what: "totals only",
      usage: { input_tokens: 10, output_tokens: 0, total_tokens: 10 },
      expected: { inputTokens: 10, outputTokens: 0 },
    },
    {
      what: "zeros, which mean unknown",
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
      expected: undefined,
    },
    { what: "nothing", usage: undefined, expected: undefined },
  ])("knows $what about usage", ({ usage, expected }) => {
    expect(
      messagesToAnswer([new AIMessage({ content: "x", ...(usage !== undefined && { usage_metadata: usage }) })]).usage,
    ).toEqual(expected);
  });

  it("reads text from blocks, the model's name, and calls without an id by their tool", () => {
    const message = new AIMessage({
      content: [
        { type: "text", text: "I " },
        { type: "text", text: "look." },
      ],
      response_metadata: { model_name: "large-1" },
      tool_calls: [...tool_calls, { type: "tool_call", name: "peek", args: {} }],
    });
    expect(messagesToAnswer([message])).toEqual({
      model: "large-1",
      text: "I look.",
      calls: [
        { call: "c1", tool: "look", input: { path: "a" } },
        { call: "peek", tool: "peek", input: {} },
      ],
    });
  });

  it("does not count the call that carries a structured response, which the host answers itself", () => {
    const structured = [
      new AIMessage({ content: "", tool_calls }),
      new ToolMessage({ content: "{}", tool_call_id: "c1" }),
      new AIMessage("Returning it."),
    ];
    expect(messagesToAnswer(structured)).toEqual({ text: "Returning it.", calls: [] });
  });

  it("is empty when the model said nothing", () => {
    expect(messagesToAnswer([])).toEqual({ text: "", calls: [] });
    expect(messagesToAnswer([new HumanMessage("go")])).toEqual({ text: "", calls: [] });
  });
});

describe("malformedCalls", () => {
  it("tells the calls whose arguments cannot be read, with their tools", () => {
    const broken = { type: "invalid_tool_call" as const, id: "c1", name: "look", args: "{", error: "Malformed args." };
    const said = [new HumanMessage("go"), new AIMessage({ content: "", invalid_tool_calls: [broken] })];
    expect(malformedCalls(said)).toEqual([
      { type: "validation.failed", path: "", expected: "Malformed args.", tool: "look" },
    ]);
    expect(malformedCalls([new AIMessage({ content: "", tool_calls })])).toEqual([]);
  });
});
