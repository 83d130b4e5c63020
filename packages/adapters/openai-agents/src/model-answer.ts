import type { Usage } from "@phasekit/core";
import { defined, knownUsage, type LooseObject, type ModelAnswer, readCall, toObject } from "@phasekit/core/adapter";
import { partsOf, textOf } from "./items.ts";

/** Converts a model response of the SDK. The provider's own response in it says how the answer ended. */
export function responseToAnswer(
  response: unknown,
  { model, finish }: { readonly model?: unknown; readonly finish?: string | undefined } = {},
): ModelAnswer {
  const { output, usage, providerData } = toObject(response);
  const raw = toObject(providerData);
  const items = partsOf(output);
  const known = usageOf(usage);
  const reasoning = items.map(reasoningIn).join("");
  const name = raw["model"] ?? model;
  const calls = items.filter(isCall).map(({ callId, name: tool, arguments: input }) => {
    return readCall(String(callId), String(tool), typeof input === "string" ? input : JSON.stringify(input ?? {}));
  });
  const finishReason = finish ?? finishIn(raw, calls.length > 0);
  return {
    ...(typeof name === "string" && name !== "" && { model: name }),
    ...defined({ usage: known, finishReason }),
    ...(reasoning !== "" && { reasoning }),
    text: items.map((item) => (item["role"] === "assistant" ? textOf(item) : "")).join(""),
    calls,
  };
}

/** True if an output item is a call of a function, which the SDK makes; a hand-off is one, too. */
export function isCall({ type }: LooseObject): boolean {
  return type === "function_call";
}

/** The reasoning of an output item: its whole text if the server sends it, else the summary. */
function reasoningIn(item: LooseObject): string {
  if (item["type"] !== "reasoning") return "";
  return textOf({ content: item["rawContent"] }) || textOf(item);
}

/** Why a response of either OpenAI API ended; models of other providers do not say. */
function finishIn(raw: LooseObject, hasCalls: boolean): string | undefined {
  const [choice] = partsOf(raw["choices"]);
  if (typeof choice?.["finish_reason"] === "string") return choice["finish_reason"];
  const { status } = raw;
  if (status === "incomplete") {
    const { reason } = toObject(raw["incomplete_details"]);
    return typeof reason === "string" ? reason : "incomplete";
  }
  if (typeof status === "string" && status !== "completed") return status;
  if (hasCalls) return "tool-calls";
  return status === "completed" ? "stop" : undefined;
}

/** A provider that reports nothing gives zeros here: unknown, not free. */
function usageOf(usage: unknown): Usage | undefined {
  const { inputTokens, outputTokens, inputTokensDetails, outputTokensDetails } = toObject(usage);
  if (!inputTokens && !outputTokens) return undefined;
  const input = detailsOf(inputTokensDetails);
  return knownUsage({
    inputTokens,
    outputTokens,
    cachedInputTokens: input["cached_tokens"],
    cacheWriteTokens: input["cache_write_tokens"],
    reasoningTokens: detailsOf(outputTokensDetails)["reasoning_tokens"],
  });
}

/** Details are an object in a stream, and a list with one member in `Usage`. */
function detailsOf(details: unknown): LooseObject {
  return toObject(Array.isArray(details) ? details[0] : details);
}
