import type { Usage } from "@phasekit/core";
import { numberIn, toObject } from "@phasekit/core/adapter";

/** Usage with the members that are numbers; `undefined` when nothing is known. */
export function usageOf(members: { readonly [K in keyof Usage]?: unknown }): Usage | undefined {
  const known = Object.entries(members).filter(
    ([, value]) => typeof value === "number" && Number.isFinite(value) && value >= 0,
  );
  return known.length === 0 ? undefined : (Object.fromEntries(known) as Usage);
}

/** Usage as chat completions report it. Cached tokens are part of the input. */
export function chatUsage(usage: unknown): Usage | undefined {
  const {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    prompt_tokens_details: prompt,
    completion_tokens_details: completion,
    cost,
  } = toObject(usage);
  const { cached_tokens: cachedInputTokens, cache_write_tokens: cacheWriteTokens } = toObject(prompt);
  return usageOf({
    inputTokens,
    outputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens: toObject(completion)["reasoning_tokens"],
    cost,
  });
}

/** Usage as Anthropic reports it: what was read from or written to the cache is not part of its input, but of ours. */
export function anthropicUsage(usage: unknown, cost?: unknown): Usage | undefined {
  const {
    input_tokens: input,
    output_tokens: outputTokens,
    cache_read_input_tokens: cachedInputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_creation: writes,
    output_tokens_details: details,
  } = toObject(usage);
  const parts = [input, cachedInputTokens, cacheWriteTokens].map(numberIn);
  const inputTokens = parts.every((part) => part === undefined)
    ? undefined
    : parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
  const reasoningTokens = toObject(details)["thinking_tokens"];
  // Those for an hour cost more than those for five minutes.
  const longCacheWriteTokens = toObject(writes)["ephemeral_1h_input_tokens"] || undefined;
  return usageOf({
    inputTokens,
    outputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    longCacheWriteTokens,
    reasoningTokens,
    cost,
  });
}

/** Usage as Codex logs it with every answer. Cached tokens are part of the input. */
export function codexUsage(last: unknown): Usage | undefined {
  const usage = toObject(last);
  return usageOf({
    inputTokens: usage["input_tokens"],
    outputTokens: usage["output_tokens"],
    cachedInputTokens: usage["cached_input_tokens"],
    reasoningTokens: usage["reasoning_output_tokens"],
  });
}
