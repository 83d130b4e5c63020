import { knownUsage, type ModelAnswer, readCall } from "@phasekit/core/adapter";
import { listIn, nameIn, objectIn, textIn, type WireObject } from "./wire-json.ts";

/** A response of the Responses API as an answer. */
export function responseToAnswer(response: WireObject): ModelAnswer {
  const output = listIn(response["output"]);
  const calls = output.filter(isCall).map((item) => readCall(textIn(item["call_id"]), textIn(item["name"]), textIn(item["arguments"] ?? item["input"])));
  const usage = responseUsage(response["usage"]);
  const model = nameIn(response["model"]);
  const error = objectIn(response["error"]);
  return {
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    finishReason: finishReason(response, calls.length > 0),
    text: output.flatMap((item) => (item["type"] === "message" ? listIn(item["content"]) : [])).map((part) => textIn(part["text"])).join(""),
    calls,
    ...(response["status"] === "failed" && { failure: { code: textIn(error["code"]), message: textIn(error["message"]) } }),
  };
}

/** Whether an output item is a call the host has to answer. */
export function isCall(item: WireObject): boolean {
  return item["type"] === "function_call" || item["type"] === "custom_tool_call";
}

function finishReason({ status, incomplete_details: details }: WireObject, hasCalls: boolean): string {
  if (status === "incomplete") {
    const reason = objectIn(details)["reason"];
    return reason === "max_output_tokens" ? "length" : reason === "content_filter" ? "content-filter" : "incomplete";
  }
  return hasCalls ? "tool-calls" : status === "cancelled" ? "cancelled" : "stop";
}

function responseUsage(usage: unknown): ModelAnswer["usage"] {
  const { input_tokens: inputTokens, output_tokens: outputTokens, input_tokens_details: input, output_tokens_details: output } = objectIn(usage);
  const { cached_tokens: cachedInputTokens, cache_write_tokens: cacheWriteTokens } = objectIn(input);
  return knownUsage({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens: objectIn(output)["reasoning_tokens"] });
}
