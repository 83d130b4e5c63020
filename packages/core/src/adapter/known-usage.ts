import type { Usage } from "../events/run-event.ts";
import { type LooseObject, numberIn, toObject } from "../text/loose-object.ts";

/** An API whose form of usage is known. */
export type UsageForm = "anthropic" | "chat" | "responses" | "langchain";

type UsageMembers = { readonly [K in keyof Usage]?: unknown };

const FORMS: Readonly<Record<UsageForm, (usage: LooseObject) => UsageMembers>> = {
  anthropic: ({
    input_tokens: fresh,
    cache_read_input_tokens: cachedInputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_creation: writes,
    output_tokens: outputTokens,
    output_tokens_details: details,
    cost,
  }) => ({
    // The API counts cached tokens apart from the input.
    inputTokens: numberIn(fresh) === undefined ? undefined : sum([fresh, cachedInputTokens, cacheWriteTokens]),
    outputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    // Those for an hour cost more than those for five minutes.
    longCacheWriteTokens: toObject(writes)["ephemeral_1h_input_tokens"] || undefined,
    reasoningTokens: toObject(details)["thinking_tokens"],
    cost,
  }),
  chat: ({
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    prompt_tokens_details: prompt,
    completion_tokens_details: completion,
    cost,
  }) => ({ inputTokens, outputTokens, ...openaiDetails(prompt, completion), cost }),
  responses: ({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    input_tokens_details: input,
    output_tokens_details: output,
  }) => ({ inputTokens, outputTokens, ...openaiDetails(input, output) }),
  langchain: ({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    input_token_details: input,
    output_token_details: output,
  }) =>
    // Some integrations report missing usage as zeros. No call uses zero tokens.
    inputTokens === 0 && outputTokens === 0
      ? {}
      : {
          inputTokens,
          outputTokens,
          cachedInputTokens: toObject(input)["cache_read"],
          cacheWriteTokens: toObject(input)["cache_creation"],
          reasoningTokens: toObject(output)["reasoning"],
        },
};

/**
 * Usage with the members that are counts, read from the form of an API if one is named. Returns `undefined` if nothing
 * is known.
 */
export function knownUsage(usage: UsageMembers): Usage | undefined;
export function knownUsage(usage: unknown, form: UsageForm): Usage | undefined;
export function knownUsage(usage: unknown, form?: UsageForm): Usage | undefined {
  const members = form === undefined ? toObject(usage) : FORMS[form](toObject(usage));
  const known = Object.entries(members).filter(([, value]) => (numberIn(value) ?? -1) >= 0);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function openaiDetails(input: unknown, output: unknown): UsageMembers {
  const { cached_tokens: cachedInputTokens, cache_write_tokens: cacheWriteTokens } = toObject(input);
  return { cachedInputTokens, cacheWriteTokens, reasoningTokens: toObject(output)["reasoning_tokens"] };
}

function sum(parts: readonly unknown[]): number {
  return parts.reduce<number>((total, part) => total + (numberIn(part) ?? 0), 0);
}
