import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chatAnswer, chatChunks, checkChat } from "./openai-server/chat.ts";
import type { Json, RecordedRequest, ScriptedAnswer } from "./openai-server/protocol.ts";
import { checkResponses, responsesAnswer, responsesEvents } from "./openai-server/responses.ts";

export type { RecordedRequest, ScriptedAnswer, ScriptedCall, ScriptedUsage } from "./openai-server/protocol.ts";
export { seenRequest, type SeenMessage, type SeenRequest } from "./openai-server/seen-request.ts";

/** A server on this machine that speaks the OpenAI API and follows a script. */
export interface OpenAiServer {
  /** The `baseURL` for a client. */
  readonly url: string;
  /** Every request that came in, also those that were turned away, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Errors in requests, in the words of a real API; empty if all were valid. */
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
}

/** The answers one after the other, or a function that makes them from what came in. */
export type Script = readonly ScriptedAnswer[] | ((request: RecordedRequest, index: number) => ScriptedAnswer);

/**
 * Starts a scripted server for `/chat/completions` and `/responses`, with JSON and server-sent events. It checks what
 * real APIs check: every tool call is answered exactly once and before anything else is said, no answer is made up.
 * Past the end of its script it answers "end of script".
 */
export async function startOpenAiServer(script: Script): Promise<OpenAiServer> {
  const requests: RecordedRequest[] = [];
  const complaints: string[] = [];
  const items = new Map<string, readonly Json[]>();
  let answered = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const api = request.url?.endsWith("/responses") === true ? "responses" : "chat";
    const body = JSON.parse(await textOf(request)) as Json;
    const history =
      api === "responses" ? [...(items.get(String(body["previous_response_id"])) ?? []), ...inputItems(body)] : [];
    const recorded: RecordedRequest = { api, body, headers: request.headers, history };
    requests.push(recorded);
    const complaint = api === "chat" ? checkChat(body) : checkResponses(history);
    if (complaint !== undefined) {
      complaints.push(complaint);
      return fail(response, { status: 400, code: "invalid_request_error", message: complaint });
    }
    const index = answered;
    answered += 1;
    const answer =
      typeof script === "function" ? script(recorded, index) : (script[index] ?? { text: "end of script" });
    if (answer.hangs !== undefined) return answer.hangs();
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
    if (answer.fails !== undefined) return fail(response, answer.fails);
    const id = `${api}-${index}`;
    if (api === "responses")
      items.set(id, [...history, ...(responsesAnswer(answer, { id, body })["output"] as readonly Json[])]);
    if (body["stream"] !== true)
      return sendJson(
        response,
        api === "chat" ? chatAnswer(answer, { id, body }) : responsesAnswer(answer, { id, body }),
      );
    await sendEvents(
      response,
      api === "chat" ? chatChunks(answer, { id, body }) : responsesEvents(answer, { id, body }),
      answer,
    );
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
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    complaints,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The input of a Responses request as items. */
function inputItems({ input }: Json): readonly Json[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return Array.isArray(input) ? (input as readonly Json[]) : [];
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function sendJson(response: ServerResponse, body: Json): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(body));
}

function fail(
  response: ServerResponse,
  { status, code, message = "the script says so" }: NonNullable<ScriptedAnswer["fails"]>,
): void {
  response.statusCode = status;
  sendJson(response, { error: { message, type: code, code, param: null } });
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
    const name = typeof event["type"] === "string" ? `event: ${event["type"]}\n` : "";
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    // One event at a time, as a real model would.
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end("data: [DONE]\n\n");
}
