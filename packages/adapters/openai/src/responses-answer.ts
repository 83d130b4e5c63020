import { knownUsage, type ModelAnswer, readCall } from "@phasekit/core/adapter";
import { listIn, nameIn, objectIn, textIn, type WireObject } from "./wire-json.ts";

/** Converts a response of the Responses API. */
export function responseToAnswer(response: WireObject): ModelAnswer {
  const output = listIn(response["output"]);
  const calls = output
    .filter(isCall)
    .map((item) => readCall(textIn(item["call_id"]), textIn(item["name"]), textIn(item["arguments"] ?? item["input"])));
  const reasoning = output.map(reasoningIn).join("");
  const usage = responseUsage(response["usage"]);
  const model = nameIn(response["model"]);
  const error = objectIn(response["error"]);
  return {
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    finishReason: finishReason(response, calls.length > 0),
    ...(reasoning !== "" && { reasoning }),
    text: output
      .flatMap((item) => (item["type"] === "message" ? listIn(item["content"]) : []))
      .map((part) => textIn(part["text"]))
      .join(""),
    calls,
    ...(response["status"] === "failed" && {
      failure: { code: textIn(error["code"]), message: textIn(error["message"]) },
    }),
  };
}

/** The reasoning of an output item: its whole text if the server sends it, else the summary. */
function reasoningIn({ type, content, summary }: WireObject): string {
  if (type !== "reasoning") return "";
  const whole = listIn(content);
  return (whole.length > 0 ? whole : listIn(summary)).map((part) => textIn(part["text"])).join("");
}

/** True if an output item is a call the host must answer. */
export function isCall(item: WireObject): boolean {
  return item["type"] === "function_call" || item["type"] === "custom_tool_call";
}

function finishReason({ status, incomplete_details: details }: WireObject, hasCalls: boolean): string {
  if (status === "incomplete") {
    const reason = objectIn(details)["reason"];
    if (reason === "max_output_tokens") return "length";
    return reason === "content_filter" ? "content-filter" : "incomplete";
  }
  if (hasCalls) return "tool-calls";
  return status === "cancelled" ? "cancelled" : "stop";
}

function responseUsage(usage: unknown): ModelAnswer["usage"] {
  const {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    input_tokens_details: input,
    output_tokens_details: output,
  } = objectIn(usage);
  const { cached_tokens: cachedInputTokens, cache_write_tokens: cacheWriteTokens } = objectIn(input);
  return knownUsage({
    inputTokens,
    outputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens: objectIn(output)["reasoning_tokens"],
  });
}
