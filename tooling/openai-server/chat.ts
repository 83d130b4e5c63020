import {
  argumentsOf,
  callIdOf,
  earlyEnd,
  type Envelope,
  type Json,
  pieces,
  type ScriptedAnswer,
  type ScriptedUsage,
} from "./protocol.ts";

/** The error a real API would return for these messages; `undefined` if they are valid. */
export function checkChat({ messages }: Json): string | undefined {
  const list = messages as readonly Json[];
  let open: Set<string> | undefined;
  for (const [index, message] of list.entries()) {
    if (message["role"] === "tool") {
      const id = String(message["tool_call_id"]);
      if (open?.delete(id) !== true) return `messages[${index}]: no tool call "${id}" waits for a result here`;
      continue;
    }
    if (open !== undefined && open.size > 0)
      return `messages[${index}]: the tool calls ${[...open].join(", ")} have no result before it`;
    const calls = message["tool_calls"] as readonly { readonly id: string }[] | undefined;
    open = calls === undefined ? undefined : new Set(calls.map(({ id }) => id));
  }
  return open !== undefined && open.size > 0 ? `the tool calls ${[...open].join(", ")} have no result` : undefined;
}

function usageOf({ input, output, cached, reasoning }: ScriptedUsage): Json {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

function finishReason(answer: ScriptedAnswer): string {
  const early = earlyEnd(answer)?.replace("-", "_");
  return early ?? ((answer.calls ?? []).length > 0 ? "tool_calls" : "stop");
}

function callsOf({ calls = [] }: ScriptedAnswer, envelope: Envelope): readonly Json[] {
  return calls.map((call, index) => ({
    id: callIdOf(call, envelope, index),
    type: "function",
    function: { name: call.tool, arguments: argumentsOf(call) },
  }));
}

/** One chat completion. */
export function chatAnswer(answer: ScriptedAnswer, envelope: Envelope): Json {
  const { text = null, reasoning, usage } = answer;
  const calls = callsOf(answer, envelope);
  const message = {
    role: "assistant",
    content: text,
    refusal: null,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    id: envelope.id,
    object: "chat.completion",
    created: 1,
    model: envelope.body["model"],
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
    ...(usage !== undefined && { usage: usageOf(usage) }),
  };
}

/** The answer as stream chunks. Usage comes in a chunk of its own, and only if requested. */
export function chatChunks(answer: ScriptedAnswer, envelope: Envelope): readonly Json[] {
  const { text = "", reasoning = "", usage } = answer;
  const { body } = envelope;
  const head = { id: envelope.id, object: "chat.completion.chunk", created: 1, model: body["model"] };
  const chunk = (delta: Json, finish: string | null = null): Json => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const calls = callsOf(answer, envelope).flatMap((call, index) => {
    const { name, arguments: text } = call["function"] as { readonly name: string; readonly arguments: string };
    const opening = { index, id: call["id"], type: "function", function: { name, arguments: "" } };
    return [
      chunk({ tool_calls: [opening] }),
      ...pieces(text).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ];
  });
  const asked = (body["stream_options"] as { readonly include_usage?: boolean } | undefined)?.include_usage === true;
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(reasoning).map((piece) => chunk({ reasoning_content: piece })),
    ...pieces(text).map((content) => chunk({ content })),
    ...calls,
    chunk({}, finishReason(answer)),
    ...(asked && usage !== undefined ? [{ ...head, choices: [], usage: usageOf(usage) }] : []),
  ];
}
