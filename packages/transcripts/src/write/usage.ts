import type { Usage } from "@phasekit/core";
import { knownUsage, toObject } from "@phasekit/core/adapter";

/** Usage as Anthropic reports it, with the cost that a log adds. */
export function anthropicUsage(usage: unknown, cost?: unknown): Usage | undefined {
  return knownUsage(cost === undefined ? usage : { ...toObject(usage), cost }, "anthropic");
}

/** Usage as Codex logs it with every answer. Cached tokens are part of the input. */
export function codexUsage(last: unknown): Usage | undefined {
  const usage = toObject(last);
  return knownUsage({
    inputTokens: usage["input_tokens"],
    outputTokens: usage["output_tokens"],
    cachedInputTokens: usage["cached_input_tokens"],
    reasoningTokens: usage["reasoning_output_tokens"],
  });
}
