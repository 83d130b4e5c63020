import { describe, expect, it } from "vitest";
import { knownUsage } from "./known-usage.ts";

const ANTHROPIC = {
  input_tokens: 10,
  cache_read_input_tokens: 5,
  cache_creation_input_tokens: 20,
  cache_creation: { ephemeral_5m_input_tokens: 12, ephemeral_1h_input_tokens: 8 },
  output_tokens: 7,
  output_tokens_details: { thinking_tokens: 3 },
};

describe("knownUsage", () => {
  it("knownUsage counts Anthropic's cached tokens as input, and knows those that are kept for an hour", () => {
    expect(knownUsage(ANTHROPIC, "anthropic")).toEqual({
      inputTokens: 35,
      outputTokens: 7,
      cachedInputTokens: 5,
      cacheWriteTokens: 20,
      longCacheWriteTokens: 8,
      reasoningTokens: 3,
    });
  });

  it("knownUsage does not make up an input that Anthropic did not report", () => {
    expect(knownUsage({ cache_read_input_tokens: 5, output_tokens: 7 }, "anthropic")).toEqual({
      cachedInputTokens: 5,
      outputTokens: 7,
    });
  });

  it.each([
    ["chat", { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } }],
    ["responses", { input_tokens: 9, output_tokens: 2, input_tokens_details: { cached_tokens: 4 } }],
    ["langchain", { input_tokens: 9, output_tokens: 2, input_token_details: { cache_read: 4 } }],
  ] as const)("knownUsage reads the form of %s", (form, usage) => {
    expect(knownUsage(usage, form)).toEqual({ inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 });
  });

  it.each([
    [{ inputTokens: -1, outputTokens: "2", cost: Number.NaN }, undefined],
    [{ inputTokens: 0 }, { inputTokens: 0 }],
  ])("knownUsage of %j is %j", (usage, known) => {
    expect(knownUsage(usage)).toEqual(known);
  });

  it("knownUsage takes LangChain's zeros for missing usage", () => {
    expect(knownUsage({ input_tokens: 0, output_tokens: 0 }, "langchain")).toBeUndefined();
    expect(knownUsage(null, "langchain")).toBeUndefined();
  });
});
