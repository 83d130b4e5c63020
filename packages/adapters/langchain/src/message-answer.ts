import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { NewEvent } from "@phasekit/core";
import { namelessCall } from "./nameless-calls.ts";
import {
  type ConversationMessage,
  defined,
  knownUsage,
  type ModelAnswer,
  normalizeFinishReason,
} from "@phasekit/core/adapter";

/**
 * Converts the messages of a model call. Several messages are a structured response: the host itself answers the call
 * that carries it, so it does not count as a tool call.
 */
export function messagesToAnswer(
  messages: readonly BaseMessage[],
  { finishReason: heard }: { readonly finishReason?: string | undefined } = {},
): ModelAnswer {
  const said = messages.filter((message) => AIMessage.isInstance(message));
  const [message] = said;
  if (message === undefined) return { text: "", calls: [] };
  const answered = new Set(
    messages.filter((other) => ToolMessage.isInstance(other)).map(({ tool_call_id }) => tool_call_id),
  );
  const calls = callsOf(message).filter(({ call }) => !answered.has(call));
  const usage = knownUsage(message.usage_metadata, "langchain");
  const reasoning = reasoningOf(message);
  const { model_name: name, model } = message.response_metadata;
  const reason = finishReason({ finish_reason: heard, ...message.response_metadata }, calls.length > 0);
  return {
    ...(typeof (name ?? model) === "string" && { model: String(name ?? model) }),
    ...defined({ usage, finishReason: reason }),
    ...(reasoning !== "" && { reasoning }),
    text: said.map(({ text }) => text).find((text) => text !== "") ?? "",
    calls,
  };
}

/** The calls of a message. Calls without an id are numbered by tool. */
function callsOf({ tool_calls = [] }: AIMessage): ModelAnswer["calls"] {
  const nameless = new Map<string, number>();
  return tool_calls.map(({ id, name, args }) => {
    if (id !== undefined) return { call: id, tool: name, input: args };
    const count = (nameless.get(name) ?? 0) + 1;
    nameless.set(name, count);
    return { call: namelessCall(name, count), tool: name, input: args };
  });
}

/** The calls of an answer whose arguments cannot be read. LangChain makes none of them. */
export function malformedCalls(messages: readonly BaseMessage[]): readonly NewEvent<"validation.failed">[] {
  return messages.flatMap((message) =>
    AIMessage.isInstance(message)
      ? (message.invalid_tool_calls ?? []).map(({ name = "", error = "arguments that can be read" }) => ({
          type: "validation.failed",
          path: "",
          expected: error,
          ...(name !== "" && { tool: name }),
        }))
      : [],
  );
}

/** The reasoning of a message or of a chunk, wherever its integration puts it. */
export function reasoningOf({ contentBlocks, additional_kwargs: { reasoning_content: content } }: AIMessage): string {
  const blocks = contentBlocks.map((block) => (block.type === "reasoning" ? block.reasoning : "")).join("");
  return blocks === "" && typeof content === "string" ? content : blocks;
}

/** Converts a history: the text of every message, and the ids of its calls. */
export function toConversation(messages: readonly BaseMessage[]): readonly ConversationMessage[] {
  return messages.map((message) => {
    if (ToolMessage.isInstance(message)) return { role: "tool", text: message.text, id: message.tool_call_id };
    if (AIMessage.isInstance(message))
      return { role: "assistant", text: message.text, id: (message.tool_calls ?? []).map(({ id = "" }) => id).join() };
    return { role: message.type === "human" ? "user" : "system", text: message.text };
  });
}

function finishReason(
  {
    finish_reason,
    stop_reason,
    finishReason: camel,
    incomplete_details: details,
    status,
  }: Readonly<Record<string, unknown>>,
  hasCalls: boolean,
): string | undefined {
  const { reason: early } = (details ?? {}) as { readonly reason?: unknown };
  const word = [finish_reason, stop_reason, camel, early, status].find((candidate) => typeof candidate === "string");
  if (word === undefined) return undefined;
  const normalized = normalizeFinishReason(word);
  const reason = normalized === "unknown" ? word : normalized;
  // Some providers say "stop" although they wait for a result.
  return hasCalls && reason === "stop" ? "tool-calls" : reason;
}
