import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { Usage } from "@phasekit/core";
import { knownUsage, type ModelAnswer } from "@phasekit/core/adapter";

/** The words of the providers for why an answer ended; a word that is not here is passed on. */
const REASONS: Readonly<Record<string, string>> = {
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  tool_use: "tool-calls",
  end_turn: "stop",
  stop_sequence: "stop",
  completed: "stop",
  STOP: "stop",
  max_tokens: "length",
  MAX_TOKENS: "length",
  incomplete: "length",
  content_filter: "content-filter",
  SAFETY: "content-filter",
};

/**
 * What a model call brought, as an answer. Several messages are a structured response: the call that carries it is
 * answered by the host itself, and no tool call.
 */
export function messagesToAnswer(messages: readonly BaseMessage[], { finishReason: heard }: { readonly finishReason?: string | undefined } = {}): ModelAnswer {
  const said = messages.filter((message) => AIMessage.isInstance(message));
  const [message] = said;
  if (message === undefined) return { text: "", calls: [] };
  const answered = new Set(messages.filter((other) => ToolMessage.isInstance(other)).map(({ tool_call_id }) => tool_call_id));
  const calls = callsOf(message).filter(({ call }) => !answered.has(call));
  const usage = usageOf(message);
  const { model_name: name, model } = message.response_metadata;
  const reason = finishReason({ finish_reason: heard, ...message.response_metadata }, calls.length > 0);
  return {
    ...(typeof (name ?? model) === "string" && { model: String(name ?? model) }),
    ...(usage !== undefined && { usage }),
    ...(reason !== undefined && { finishReason: reason }),
    text: said.map(({ text }) => text).find((text) => text !== "") ?? "",
    calls,
  };
}

/** The calls of a message. A call without an id goes by the name of its tool. */
function callsOf({ tool_calls = [] }: AIMessage): ModelAnswer["calls"] {
  return tool_calls.map(({ id, name, args }) => ({ call: id ?? name, tool: name, input: args }));
}

function finishReason({ finish_reason, stop_reason, finishReason: camel, status }: Readonly<Record<string, unknown>>, hasCalls: boolean): string | undefined {
  const word = [finish_reason, stop_reason, camel, status].find((candidate) => typeof candidate === "string");
  if (word === undefined) return undefined;
  const reason = REASONS[word] ?? word;
  // Some providers say that they stopped when they wait for a result.
  return hasCalls && reason === "stop" ? "tool-calls" : reason;
}

function usageOf({ usage_metadata: usage }: AIMessage): Usage | undefined {
  // No call takes nothing: providers without numbers are reported as zeros by some integrations.
  if (usage?.input_tokens === 0 && usage.output_tokens === 0) return undefined;
  return knownUsage({
    inputTokens: usage?.input_tokens,
    outputTokens: usage?.output_tokens,
    cachedInputTokens: usage?.input_token_details?.cache_read,
    cacheWriteTokens: usage?.input_token_details?.cache_creation,
    reasoningTokens: usage?.output_token_details?.reasoning,
  });
}
