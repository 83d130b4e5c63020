import { knownUsage, type ModelAnswer, readCall } from "@phasekit/core/adapter";
import { listIn, nameIn, objectIn, textIn, type WireObject } from "./wire-json.ts";

const REASONS: Readonly<Record<string, string>> = { tool_calls: "tool-calls", function_call: "tool-calls", content_filter: "content-filter" };

/** A chat completion as an answer. */
export function chatToAnswer(completion: WireObject): ModelAnswer {
  const [choice = {}] = listIn(completion["choices"]);
  const message = objectIn(choice["message"]);
  const finish = nameIn(choice["finish_reason"]);
  const usage = chatUsage(completion["usage"]);
  const model = nameIn(completion["model"]);
  // A gateway in front of many providers says in the choice that one of them failed.
  const error = choice["message"] === undefined ? (completion["error"] ?? choice["error"]) : choice["error"];
  return {
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    ...(finish !== undefined && { finishReason: REASONS[finish] ?? finish }),
    text: textIn(message["content"]),
    calls: listIn(message["tool_calls"]).map(callOf),
    ...(error !== undefined && error !== null && { failure: { code: codeOf(objectIn(error)), message: textIn(objectIn(error)["message"]) } }),
  };
}

/** Some gateways put a number there. */
function codeOf({ code }: WireObject): string {
  return typeof code === "number" ? String(code) : textIn(code);
}

function callOf(call: WireObject): ModelAnswer["calls"][number] {
  const { name, arguments: text, input } = objectIn(call["function"] ?? call["custom"]);
  return readCall(textIn(call["id"]), textIn(name), textIn(text ?? input));
}

/** What a chat completion cost; `undefined` when the provider says nothing. Cached tokens are part of the input. */
function chatUsage(usage: unknown): ModelAnswer["usage"] {
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens, prompt_tokens_details: prompt, completion_tokens_details: completion } = objectIn(usage);
  const { cached_tokens: cachedInputTokens, cache_write_tokens: cacheWriteTokens } = objectIn(prompt);
  return knownUsage({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens: objectIn(completion)["reasoning_tokens"] });
}

/** Puts the chunks of a streamed completion together, into what the same answer looks like whole. */
export function createChatCollector(): { readonly add: (chunk: WireObject) => string; readonly completion: () => WireObject } {
  const calls: { id: string; function: { name: string; arguments: string } }[] = [];
  let content = "";
  let finish: unknown;
  let usage: unknown;
  let model: unknown;
  let id: unknown;

  /** Takes one chunk; gives the text it adds. */
  function add(chunk: WireObject): string {
    id ??= chunk["id"];
    model ??= chunk["model"];
    usage = chunk["usage"] ?? usage;
    const [choice] = listIn(chunk["choices"]);
    if (choice === undefined || (choice["index"] ?? 0) !== 0) return "";
    finish = choice["finish_reason"] ?? finish;
    const delta = objectIn(choice["delta"]);
    for (const part of listIn(delta["tool_calls"])) {
      const { name, arguments: text } = objectIn(part["function"]);
      // Without an index, a part that has a name or an id begins a call, and any other goes on with the last.
      const unnumbered = calls.length - (part["id"] === undefined && name === undefined && calls.length > 0 ? 1 : 0);
      const call = (calls[typeof part["index"] === "number" ? part["index"] : unnumbered] ??= { id: "", function: { name: "", arguments: "" } });
      call.id ||= textIn(part["id"]);
      call.function.name ||= textIn(name);
      call.function.arguments += textIn(text);
    }
    const text = textIn(delta["content"]);
    content += text;
    return text;
  }

  return {
    add,
    completion: () => ({
      id,
      model,
      usage,
      choices: [{ message: { content, ...(calls.length > 0 && { tool_calls: calls.filter(Boolean) }) }, finish_reason: finish }],
    }),
  };
}
