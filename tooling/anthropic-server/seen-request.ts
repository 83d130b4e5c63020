import type { Json } from "../openai-server/protocol.ts";
import type { SeenMessage, SeenRequest } from "../openai-server/seen-request.ts";
import { type AnthropicRequest, blocksOf } from "./messages.ts";

/** A recorded request in no provider's form. The results and texts of a user message are messages of their own. */
export function seenAnthropicRequest({ body, history, tools }: AnthropicRequest): SeenRequest {
  const choice = (body["tool_choice"] as { readonly type?: string } | undefined)?.type;
  return {
    model: String(body["model"]),
    messages: history.flatMap(fromMessage),
    tools: tools.map(({ name }) => String(name)),
    toolChoice: choice ?? "auto",
  };
}

function fromMessage({ role, content }: Json): readonly SeenMessage[] {
  const blocks = blocksOf(content);
  if (role === "assistant") {
    const calls = blocks.filter(({ type }) => type === "tool_use").map(({ name }) => String(name));
    return [{ role, text: textOf(blocks), ...(calls.length > 0 && { calls }) }];
  }
  return blocks.map((block) =>
    block["type"] === "tool_result"
      ? { role: "tool", text: textOf(blocksOf(block["content"])) }
      : { role: role === "system" ? "system" : "user", text: textOf([block]) },
  );
}

function textOf(blocks: readonly Json[]): string {
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}
