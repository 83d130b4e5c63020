import { argumentsOf, callIdOf, earlyEnd, type Envelope, type Json, pieces, type ScriptedAnswer } from "./protocol.ts";

/** The error a real API would return for these items; `undefined` if they are valid. */
export function checkResponses(items: readonly Json[]): string | undefined {
  const open = new Set<string>();
  for (const [index, item] of items.entries()) {
    const id = String(item["call_id"]);
    if (item["type"] === "function_call") open.add(id);
    else if (item["type"] === "function_call_output") {
      if (!open.delete(id)) return `input[${index}]: no tool call found for function call output with call_id ${id}`;
    } else if (open.size > 0)
      return `input[${index}]: no tool output found for function call ${[...open].join(", ")} before it`;
  }
  return open.size > 0 ? `no tool output found for function call ${[...open].join(", ")}` : undefined;
}

function outputOf({ text, reasoning, calls = [] }: ScriptedAnswer, envelope: Envelope): readonly Json[] {
  const thought = { id: `rs-${envelope.id}`, type: "reasoning", summary: [{ type: "summary_text", text: reasoning }] };
  const message = {
    id: `msg-${envelope.id}`,
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  return [
    ...(reasoning === undefined ? [] : [thought]),
    ...(text === undefined ? [] : [message]),
    ...calls.map((call, index) => ({
      id: `fc-${envelope.id}-${index}`,
      type: "function_call",
      status: "completed",
      call_id: callIdOf(call, envelope, index),
      name: call.tool,
      arguments: argumentsOf(call),
    })),
  ];
}

/** One response. */
export function responsesAnswer(answer: ScriptedAnswer, envelope: Envelope): Json {
  const { usage } = answer;
  const early = earlyEnd(answer);
  return {
    id: envelope.id,
    object: "response",
    created_at: 1,
    model: envelope.body["model"],
    status: early === undefined ? "completed" : "incomplete",
    incomplete_details:
      early === undefined ? null : { reason: early === "length" ? "max_output_tokens" : "content_filter" },
    error: null,
    output: outputOf(answer, envelope),
    parallel_tool_calls: true,
    tools: envelope.body["tools"] ?? [],
    tool_choice: envelope.body["tool_choice"] ?? "auto",
    usage:
      usage === undefined
        ? null
        : {
            input_tokens: usage.input,
            input_tokens_details: { cached_tokens: usage.cached ?? 0 },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
            total_tokens: usage.input + usage.output,
          },
  };
}

/** The answer as stream events. */
export function responsesEvents(answer: ScriptedAnswer, envelope: Envelope): readonly Json[] {
  const response = responsesAnswer(answer, envelope);
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const parts = outputOf(answer, envelope).flatMap((item, output_index) => itemEvents(item, { output_index }));
  const events = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...parts,
    { type: earlyEnd(answer) === undefined ? "response.completed" : "response.incomplete", response },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

function itemEvents(item: Json, place: { readonly output_index: number }): readonly Json[] {
  const at = { ...place, item_id: item["id"] };
  if (item["type"] === "function_call") {
    const text = String(item["arguments"]);
    return [
      { type: "response.output_item.added", ...place, item: { ...item, status: "in_progress", arguments: "" } },
      ...pieces(text).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
      { type: "response.function_call_arguments.done", ...at, name: item["name"], arguments: text },
      { type: "response.output_item.done", ...place, item },
    ];
  }
  if (item["type"] === "reasoning") {
    const [{ text }] = item["summary"] as readonly [{ readonly text: string }];
    const inside = { ...at, summary_index: 0 };
    return [
      { type: "response.output_item.added", ...place, item: { ...item, summary: [] } },
      { type: "response.reasoning_summary_part.added", ...inside, part: { type: "summary_text", text: "" } },
      ...pieces(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...inside, delta })),
      { type: "response.reasoning_summary_text.done", ...inside, text },
      { type: "response.reasoning_summary_part.done", ...inside, part: { type: "summary_text", text } },
      { type: "response.output_item.done", ...place, item },
    ];
  }
  const [part] = item["content"] as readonly [{ readonly text: string }];
  const inside = { ...at, content_index: 0 };
  return [
    { type: "response.output_item.added", ...place, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...inside, part: { ...part, text: "" } },
    ...pieces(part.text).map((delta) => ({ type: "response.output_text.delta", ...inside, delta, logprobs: [] })),
    { type: "response.output_text.done", ...inside, text: part.text, logprobs: [] },
    { type: "response.content_part.done", ...inside, part },
    { type: "response.output_item.done", ...place, item },
  ];
}
