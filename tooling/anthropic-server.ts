import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type AnthropicRequest, checkMessages, messageAnswer, messageEvents } from "./anthropic-server/messages.ts";
import type { Json, ScriptedAnswer } from "./openai-server/protocol.ts";

export type { AnthropicRequest } from "./anthropic-server/messages.ts";
export { seenAnthropicRequest } from "./anthropic-server/seen-request.ts";

/** A server on this machine that speaks the Anthropic Messages API and follows a script. */
export interface AnthropicServer {
  /** The `baseURL` for a client. */
  readonly url: string;
  /** Every request that came in, also those that were turned away, oldest first. */
  readonly requests: readonly AnthropicRequest[];
  /** Errors in requests, in the words of a real API; empty if all were valid. */
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
}

/** The answers one after the other, or a function that makes them from what came in. */
export type AnthropicScript =
  readonly ScriptedAnswer[] | ((request: AnthropicRequest, index: number) => ScriptedAnswer);

/**
 * Starts a scripted server for `/v1/messages`, with JSON and server-sent events, threads and requests for a summary. It
 * checks what the real API checks: every tool call is answered exactly once, in the next message and before any text.
 * Past the end of its script it answers "end of script".
 */
export async function startAnthropicServer(script: AnthropicScript): Promise<AnthropicServer> {
  const requests: AnthropicRequest[] = [];
  const complaints: string[] = [];
  const threads = new Map<string, { readonly messages: readonly Json[]; readonly tools: unknown }>();
  let answered = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const body = JSON.parse(text) as Json;
    const { type, previous_message_id: previous } = (body["thread"] ?? {}) as Json;
    const kept = type === "continue" ? threads.get(String(previous)) : undefined;
    const history = [...(kept?.messages ?? []), ...(body["messages"] as readonly Json[])];
    const tools = (body["tools"] ?? kept?.tools ?? []) as readonly Json[];
    const recorded: AnthropicRequest = { body, text, history, tools, headers: request.headers };
    requests.push(recorded);
    const complaint = checkMessages(history);
    if (complaint !== undefined) {
      complaints.push(complaint);
      return fail(response, { status: 400, code: "invalid_request_error", message: complaint });
    }
    const index = answered;
    answered += 1;
    const answer: ScriptedAnswer =
      typeof script === "function" ? script(recorded, index) : (script[index] ?? { text: "end of script" });
    if (answer.hangs !== undefined) return answer.hangs();
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(headerOf(name), value);
    if (answer.fails !== undefined) return fail(response, answer.fails);
    const message = messageAnswer(answer, { id: `msg-${index}`, body });
    if (type !== undefined)
      threads.set(String(message["id"]), {
        messages: [...history, { role: "assistant", content: message["content"] }],
        tools,
      });
    if (body["stream"] === true) return sendEvents(response, messageEvents(message), answer);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(message));
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      complaints.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    complaints,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** Scripts use OpenAI's names for rate-limit headers. */
function headerOf(name: string): string {
  const [, kind, unit] = /^x-ratelimit-(\w+)-(\w+)$/.exec(name) ?? [];
  return kind === undefined ? name : `anthropic-ratelimit-${unit}-${kind}`;
}

function fail(
  response: ServerResponse,
  { status, code, message = "the script says so" }: NonNullable<ScriptedAnswer["fails"]>,
): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ type: "error", error: { type: code, message }, request_id: "req-1" }));
}

/** Server-sent events; with `breaksAfter` the connection is cut after that number of events. */
async function sendEvents(
  response: ServerResponse,
  events: readonly Json[],
  { breaksAfter = Infinity }: ScriptedAnswer,
): Promise<void> {
  response.setHeader("content-type", "text/event-stream");
  for (const [index, event] of events.entries()) {
    if (index >= breaksAfter) {
      response.destroy();
      return;
    }
    response.write(`event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`);
    // One event at a time, as a real model would.
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}
