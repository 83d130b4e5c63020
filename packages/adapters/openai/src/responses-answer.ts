import {
  defined,
  knownUsage,
  type LooseObject,
  type ModelAnswer,
  nameIn,
  readCall,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { objectsIn } from "./objects-in.ts";

/** Converts a response of the Responses API. */
export function responseToAnswer(response: LooseObject): ModelAnswer {
  const output = objectsIn(response["output"]);
  const calls = output
    .filter(isCall)
    .map((item) => readCall(textIn(item["call_id"]), textIn(item["name"]), textIn(item["arguments"] ?? item["input"])));
  const reasoning = output.map(reasoningIn).join("");
  const usage = knownUsage(response["usage"], "responses");
  const model = nameIn(response["model"]);
  const error = toObject(response["error"]);
  return {
    ...defined({ model, usage }),
    finishReason: finishReason(response, calls.length > 0),
    ...(reasoning !== "" && { reasoning }),
    text: output
      .flatMap((item) => (item["type"] === "message" ? objectsIn(item["content"]) : []))
      .map((part) => textIn(part["text"]))
      .join(""),
    calls,
    ...(response["status"] === "failed" && {
      failure: { code: textIn(error["code"]), message: textIn(error["message"]) },
    }),
  };
}

/** The reasoning of an output item: its whole text if the server sends it, else the summary. */
function reasoningIn({ type, content, summary }: LooseObject): string {
  if (type !== "reasoning") return "";
  const whole = objectsIn(content);
  return (whole.length > 0 ? whole : objectsIn(summary)).map((part) => textIn(part["text"])).join("");
}

/** True if an output item is a call the host must answer. */
export function isCall(item: LooseObject): boolean {
  return item["type"] === "function_call" || item["type"] === "custom_tool_call";
}

function finishReason({ status, incomplete_details: details }: LooseObject, hasCalls: boolean): string {
  if (status === "incomplete") {
    const reason = toObject(details)["reason"];
    if (reason === "max_output_tokens") return "length";
    return reason === "content_filter" ? "content-filter" : "incomplete";
  }
  if (hasCalls) return "tool-calls";
  return status === "cancelled" ? "cancelled" : "stop";
}
