import type { IncomingHttpHeaders } from "node:http";
import {
  callIdOf,
  earlyEnd,
  type Envelope,
  type Json,
  pieces,
  type ScriptedAnswer,
} from "../openai-server/protocol.ts";

/** A request as it came over the wire. */
export interface AnthropicRequest {
  readonly body: Json;
  /** The body, byte by byte. */
  readonly text: string;
  /** Everything said before, the messages of the thread included. */
  readonly history: readonly Json[];
  /** The tools of the request, or of its thread. */
  readonly tools: readonly Json[];
  readonly headers: IncomingHttpHeaders;
}

/** The error the real API would return for these messages; `undefined` if they are valid. */
export function checkMessages(messages: readonly Json[]): string | undefined {
  let open = new Set<string>();
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = blocksOf(content);
    if (blocks.length === 0 && index < messages.length - 1) return `messages.${index}: content is empty`;
    if (role === "assistant") {
      if (open.size > 0) return `messages.${index}: tool_use ids ${[...open].join(", ")} have no tool_result`;
      open = new Set(blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id)));
      continue;
    }
    // Several user messages in a row are one turn.
    let said = false;
    for (const { type, tool_use_id: id } of blocks) {
      if (type !== "tool_result") said = true;
      else if (said) return `messages.${index}: a tool_result comes after other content`;
      else if (!open.delete(String(id))) return `messages.${index}: no tool_use "${String(id)}" waits for a result`;
    }
    if (open.size > 0) return `messages.${index}: tool_use ids ${[...open].join(", ")} have no tool_result`;
  }
  return open.size > 0 ? `tool_use ids ${[...open].join(", ")} have no tool_result` : undefined;
}

/** The content of a message as blocks. */
export function blocksOf(content: unknown): readonly Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : ((content ?? []) as readonly Json[]);
}

/** One message of the model. A request for a summary gets one. */
export function messageAnswer(answer: ScriptedAnswer, envelope: Envelope): Json {
  const { text, reasoning, calls = [], usage } = answer;
  const summary = envelope.body["compaction"] === undefined ? undefined : text;
  return {
    id: envelope.id,
    type: "message",
    role: "assistant",
    model: envelope.body["model"],
    content: [
      ...(summary === undefined ? [] : [{ type: "compaction", content: summary, encrypted_content: null }]),
      ...(reasoning === undefined ? [] : [{ type: "thinking", thinking: reasoning, signature: "signed" }]),
      ...(text === undefined || text === "" || summary !== undefined ? [] : [{ type: "text", text, citations: null }]),
      ...calls.map((call, index) => ({
        type: "tool_use",
        id: callIdOf(call, envelope, index),
        name: call.tool,
        input: call.input ?? {},
      })),
    ],
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage:
      usage === undefined
        ? {}
        : {
            input_tokens: usage.input - (usage.cached ?? 0),
            cache_read_input_tokens: usage.cached ?? 0,
            cache_creation_input_tokens: 0,
            output_tokens: usage.output,
            ...(usage.reasoning !== undefined && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
          },
  };
}

function stopReason(answer: ScriptedAnswer): string {
  const early = earlyEnd(answer);
  if (early !== undefined) return early === "length" ? "max_tokens" : "refusal";
  return (answer.calls ?? []).length > 0 ? "tool_use" : "end_turn";
}

/** The message as stream events. */
export function messageEvents(message: Json): readonly Json[] {
  const { content, stop_reason, stop_sequence, usage, ...head } = message;
  const { output_tokens, ...input } = usage as Json;
  return [
    {
      type: "message_start",
      message: {
        ...head,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        // A placeholder: the real number comes at the end.
        usage: { ...input, ...(output_tokens !== undefined && { output_tokens: 1 }) },
      },
    },
    { type: "ping" },
    ...blocksOf(content).flatMap((block, index) => [
      { type: "content_block_start", index, content_block: emptied(block) },
      ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: { output_tokens } },
    { type: "message_stop" },
  ];
}

function emptied(block: Json): Json {
  switch (block["type"]) {
    case "text":
      return { ...block, text: "" };
    case "thinking":
      return { ...block, thinking: "", signature: "" };
    case "tool_use":
      return { ...block, input: {} };
    default:
      return block;
  }
}

function deltasOf(block: Json): readonly Json[] {
  switch (block["type"]) {
    case "text":
      return pieces(String(block["text"])).map((text) => ({ type: "text_delta", text }));
    case "thinking":
      return pieces(String(block["thinking"])).map((thinking) => ({ type: "thinking_delta", thinking }));
    case "tool_use":
      return pieces(JSON.stringify(block["input"])).map((partial_json) => ({ type: "input_json_delta", partial_json }));
    default:
      return [];
  }
}
