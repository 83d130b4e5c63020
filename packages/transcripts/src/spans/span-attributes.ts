import type { Reason, Usage } from "@phasekit/core";
import {
  defined,
  isObject,
  isReason,
  knownUsage,
  type LooseObject,
  nameIn,
  numberIn,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { contentText, objectsIn, readArguments, readResult } from "../parse/loose-json.ts";
import type { Span, SpanCall, SpanKind } from "./span.ts";

/**
 * Reads the attributes of a span, named by OpenInference, OpenTelemetry's `gen_ai`, OpenLLMetry or the AI SDK.
 */
export function readAttributes(attributes: LooseObject, name: string): Omit<Span, "id" | "trace" | "name"> {
  const kind = kindOf(attributes, name);
  const answer = kind === "model" ? answerOf(attributes) : undefined;
  const tool =
    kind === "tool"
      ? (nameIn(
          attributes["tool.name"] ??
            attributes["gen_ai.tool.name"] ??
            attributes["ai.toolCall.name"] ??
            attributes["traceloop.entity.name"],
        ) ?? name)
      : undefined;
  return {
    kind,
    ...defined({
      input: firstOf(
        attributes,
        [
          "input.value",
          "gen_ai.tool.call.arguments",
          "ai.toolCall.args",
          "traceloop.entity.input",
          "tool.parameters",
          "ai.prompt",
        ],
        readResult,
      ),
      output: firstOf(
        attributes,
        ["output.value", "gen_ai.tool.call.result", "ai.toolCall.result", "traceloop.entity.output"],
        readResult,
      ),
      model: nameIn(
        attributes["llm.model_name"] ??
          attributes["gen_ai.response.model"] ??
          attributes["gen_ai.request.model"] ??
          attributes["ai.model.id"],
      ),
      usage: usageFrom(attributes),
      finishReason: finishOf(attributes["gen_ai.response.finish_reasons"] ?? attributes["ai.response.finishReason"]),
      call: nameIn(
        attributes["gen_ai.tool.call.id"] ??
          attributes["ai.toolCall.id"] ??
          attributes["tool_call.id"] ??
          attributes["tool.id"],
      ),
      tool,
      text: answer?.text,
      calls: answer?.calls,
      reason: kind === "agent" ? reasonOf(attributes) : undefined,
    }),
  };
}

/** Our own word, or the closest one to the word that is proposed for all agents. */
function reasonOf(attributes: LooseObject): Reason | undefined {
  const given = attributes["phasekit.reason"];
  return isReason(given) ? given : REASONS.get(textIn(attributes["gen_ai.agent.finish_reason"]));
}

/** "completed" is the agent's claim: gates decide if it is done. */
const REASONS: ReadonlyMap<string, Reason> = new Map([
  ["max_iterations", "turn_limit"],
  ["max_tokens", "token_limit"],
  ["time_budget", "archive_timeout"],
  ["cancelled", "cancelled"],
  ["guardrail", "policy_stop"],
  ["error", "unknown"],
]);

function firstOf(attributes: LooseObject, names: readonly string[], read: (value: unknown) => unknown): unknown {
  const name = names.find((candidate) => attributes[candidate] !== undefined);
  return name === undefined ? undefined : read(attributes[name]);
}

function kindOf(attributes: LooseObject, name: string): SpanKind {
  const inference = textIn(attributes["openinference.span.kind"]).toUpperCase();
  const operation = textIn(attributes["gen_ai.operation.name"]);
  const loop = textIn(attributes["traceloop.span.kind"]);
  const sdk = textIn(attributes["ai.operationId"]) || name;
  if (
    inference === "LLM" ||
    operation === "chat" ||
    operation === "text_completion" ||
    operation === "generate_content" ||
    /^ai\.\w+\.do(?:Generate|Stream)$/.test(sdk) ||
    attributes["llm.request.type"] === "chat"
  )
    return "model";
  if (inference === "TOOL" || operation === "execute_tool" || loop === "tool" || sdk === "ai.toolCall") return "tool";
  return inference === "AGENT" ||
    operation === "invoke_agent" ||
    loop === "agent" ||
    loop === "workflow" ||
    /^ai\.(?:generateText|streamText)$/.test(sdk)
    ? "agent"
    : "other";
}

function usageFrom(attributes: LooseObject): Usage | undefined {
  const pick = (...names: readonly string[]): number | undefined =>
    names.map((name) => asNumber(attributes[name])).find((value) => value !== undefined);
  return knownUsage({
    inputTokens: pick(
      "llm.token_count.prompt",
      "gen_ai.usage.input_tokens",
      "gen_ai.usage.prompt_tokens",
      "ai.usage.inputTokens",
      "ai.usage.promptTokens",
    ),
    outputTokens: pick(
      "llm.token_count.completion",
      "gen_ai.usage.output_tokens",
      "gen_ai.usage.completion_tokens",
      "ai.usage.outputTokens",
      "ai.usage.completionTokens",
    ),
    cachedInputTokens: pick(
      "llm.token_count.prompt_details.cache_read",
      "gen_ai.usage.cache_read.input_tokens",
      "gen_ai.usage.cache_read_input_tokens",
      "ai.usage.cachedInputTokens",
    ),
    cacheWriteTokens: pick("llm.token_count.prompt_details.cache_write", "gen_ai.usage.cache_creation.input_tokens"),
    reasoningTokens: pick(
      "llm.token_count.completion_details.reasoning",
      "gen_ai.usage.reasoning.output_tokens",
      "ai.usage.reasoningTokens",
    ),
    cost: pick("llm.cost.total", "gen_ai.usage.cost"),
  });
}

/** OTLP writes whole numbers as texts. */
function asNumber(value: unknown): number | undefined {
  return typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : numberIn(value);
}

function finishOf(given: unknown): string | undefined {
  const value = readResult(given);
  return Array.isArray(value) ? nameIn(value[0]) : nameIn(value);
}

interface Answer {
  readonly text: string;
  readonly calls: readonly SpanCall[];
}

/**
 * The answer of a model call: from indexed attributes, from one attribute that holds messages, or from its output.
 * `undefined` if the trace has no texts: the conventions leave them out by default.
 */
function answerOf(attributes: LooseObject): Answer | undefined {
  const indexed =
    indexedAnswer(attributes, "llm.output_messages.0.message.", "tool_call.function.") ??
    indexedAnswer(attributes, "gen_ai.completion.0.", "");
  if (indexed !== undefined) return indexed;
  const messages = readResult(attributes["gen_ai.output.messages"] ?? attributes["ai.response.messages"]);
  if (Array.isArray(messages)) return messageAnswer(objectsIn(messages).at(-1) ?? {});
  if (attributes["ai.response.text"] !== undefined || attributes["ai.response.toolCalls"] !== undefined) {
    return {
      text: textIn(attributes["ai.response.text"]),
      calls: objectsIn(readResult(attributes["ai.response.toolCalls"])).map(readSpanCall),
    };
  }
  return attributes["output.value"] === undefined ? undefined : outputAnswer(readResult(attributes["output.value"]));
}

function indexedAnswer(attributes: LooseObject, prefix: string, inner: string): Answer | undefined {
  const names = Object.keys(attributes).filter((name) => name.startsWith(prefix));
  if (names.length === 0) return undefined;
  const indexes = [...new Set(names.flatMap((name) => /tool_calls\.(\d+)\./.exec(name)?.[1] ?? []))].sort(
    (one, other) => Number(one) - Number(other),
  );
  const calls = indexes.map((index): SpanCall => {
    const at = (member: string): unknown => attributes[`${prefix}tool_calls.${index}.${member}`];
    return {
      tool: textIn(at(`${inner}name`)),
      input: readArguments(at(`${inner}arguments`)),
      ...defined({ id: nameIn(at("tool_call.id") ?? at("id")) }),
    };
  });
  const parts = names
    .filter((name) => /\.contents\.\d+\.message_content\.text$/.test(name))
    .sort()
    .map((name) => textIn(attributes[name]));
  return { text: textIn(attributes[`${prefix}content`]) || parts.join(""), calls };
}

/** An answer in any common shape of a message. */
export function outputAnswer(value: unknown): Answer {
  if (typeof value === "string") return { text: value, calls: [] };
  if (Array.isArray(value)) {
    const calls = objectsIn(value).filter(
      (item) => item["toolName"] !== undefined || toObject(item["function"])["name"] !== undefined,
    );
    return calls.length > 0
      ? { text: "", calls: calls.map(readSpanCall) }
      : messageAnswer(objectsIn(value).at(-1) ?? {});
  }
  const object = toObject(value);
  const [choice = {}] = objectsIn(object["choices"]);
  return messageAnswer(isObject(choice["message"]) ? choice["message"] : object);
}

function messageAnswer(message: LooseObject): Answer {
  const parts = objectsIn(message["parts"] ?? message["content"]);
  const inside = parts.filter(({ type }) => type === "tool_call" || type === "tool_use" || type === "tool-call");
  const beside = objectsIn(message["tool_calls"] ?? message["toolCalls"]);
  const said =
    contentText(message["content"] ?? message["text"]) ||
    parts
      .filter(({ type }) => type === "text")
      .map((part) => textIn(part["content"]))
      .join("");
  return { text: said, calls: [...inside, ...beside].map(readSpanCall) };
}

function readSpanCall(call: LooseObject): SpanCall {
  const { name, arguments: given } = toObject(call["function"]);
  return {
    tool: textIn(name ?? call["name"] ?? call["toolName"]),
    input: readArguments(given ?? call["arguments"] ?? call["args"] ?? call["input"]),
    ...defined({ id: nameIn(call["id"] ?? call["toolCallId"]) }),
  };
}
