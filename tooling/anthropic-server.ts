import { type AnthropicRequest, checkMessages, messageAnswer, messageEvents } from "./anthropic-server/messages.ts";
import type { Json } from "./openai-server/protocol.ts";
import { type ScriptedServer, type ScriptFor, serveScript } from "./openai-server/serve-script.ts";

export type { AnthropicRequest } from "./anthropic-server/messages.ts";
export { seenAnthropicRequest } from "./anthropic-server/seen-request.ts";

/** A server on this machine that speaks the Anthropic Messages API and follows a script. */
export type AnthropicServer = ScriptedServer<AnthropicRequest>;

/** The answers one after the other, or a function that makes them from what came in. */
export type AnthropicScript = ScriptFor<AnthropicRequest>;

/**
 * Starts a scripted server for `/v1/messages`, with JSON and server-sent events, threads and requests for a summary. It
 * checks what the real API checks: every tool call is answered exactly once, in the next message and before any text.
 */
export async function startAnthropicServer(script: AnthropicScript): Promise<AnthropicServer> {
  const threads = new Map<string, { readonly messages: readonly Json[]; readonly tools: unknown }>();
  return await serveScript(script, {
    path: "",
    record: (text, { headers }) => {
      const body = JSON.parse(text) as Json;
      const { type, previous_message_id: previous } = threadOf(body);
      const kept = type === "continue" ? threads.get(String(previous)) : undefined;
      const history = [...(kept?.messages ?? []), ...(body["messages"] as readonly Json[])];
      return { body, text, history, tools: (body["tools"] ?? kept?.tools ?? []) as readonly Json[], headers };
    },
    check: ({ history }) => checkMessages(history),
    answer: (answer, { body, history, tools }, index) => {
      const message = messageAnswer(answer, { id: `msg-${index}`, body });
      if (threadOf(body)["type"] !== undefined)
        threads.set(String(message["id"]), {
          messages: [...history, { role: "assistant", content: message["content"] }],
          tools,
        });
      return body["stream"] === true ? messageEvents(message) : message;
    },
    errorBody: (type, message) => ({ type: "error", error: { type, message }, request_id: "req-1" }),
    headerOf,
  });
}

function threadOf(body: Json): Json {
  return (body["thread"] ?? {}) as Json;
}

function headerOf(name: string): string {
  const [, kind, unit] = /^x-ratelimit-(\w+)-(\w+)$/.exec(name) ?? [];
  return kind === undefined ? name : `anthropic-ratelimit-${unit}-${kind}`;
}
