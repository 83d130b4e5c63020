import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json, ScriptedAnswer } from "./protocol.ts";

/** A server on this machine that speaks a model's API and follows a script. */
export interface ScriptedServer<TRequest> {
  /** The `baseURL` for a client. */
  readonly url: string;
  /** Every request that came in, also those that were turned away, oldest first. */
  readonly requests: readonly TRequest[];
  /** Errors in requests, in the words of a real API; empty if all were valid. */
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
}

/** The answers one after the other, or a function that makes them from what came in. */
export type ScriptFor<TRequest> = readonly ScriptedAnswer[] | ((request: TRequest, index: number) => ScriptedAnswer);

/** Knowledge of one API. */
interface ScriptedApi<TRequest> {
  /** The path of the API below the server's root. */
  readonly path: string;
  readonly record: (text: string, request: IncomingMessage) => TRequest;
  /** The error a real API answers with; `undefined` for a valid request. */
  readonly check: (request: TRequest) => string | undefined;
  /** The whole answer, or its events if the request asks for a stream. */
  readonly answer: (answer: ScriptedAnswer, request: TRequest, index: number) => Json | readonly Json[];
  readonly errorBody: (code: string, message: string) => Json;
  /** Scripts use OpenAI's names for rate-limit headers. */
  readonly headerOf?: (name: string) => string;
  /** The text after the last event. @default none */
  readonly lastText?: string;
}

/** Serves an API by a script. Past the end of its script it answers "end of script". */
export async function serveScript<TRequest>(
  script: ScriptFor<TRequest>,
  api: ScriptedApi<TRequest>,
): Promise<ScriptedServer<TRequest>> {
  const { headerOf = (name) => name, lastText = "" } = api;
  const requests: TRequest[] = [];
  const complaints: string[] = [];
  let answered = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded = api.record(await textOf(request), request);
    requests.push(recorded);
    const complaint = api.check(recorded);
    if (complaint !== undefined) {
      complaints.push(complaint);
      return fail(response, { status: 400, code: "invalid_request_error", message: complaint });
    }
    const index = answered;
    answered += 1;
    const answer =
      typeof script === "function" ? script(recorded, index) : (script[index] ?? { text: "end of script" });
    if (answer.hangs !== undefined) return answer.hangs();
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(headerOf(name), value);
    if (answer.fails !== undefined) return fail(response, answer.fails);
    const body = api.answer(answer, recorded, index);
    if (isList(body)) return sendEvents(response, body, { ...answer, lastText });
    sendJson(response, body);
  }

  function fail(
    response: ServerResponse,
    { status, code, message = "the script says so" }: NonNullable<ScriptedAnswer["fails"]>,
  ): void {
    response.statusCode = status;
    sendJson(response, api.errorBody(code, message));
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
    url: `http://127.0.0.1:${port}${api.path}`,
    requests,
    complaints,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function isList(body: Json | readonly Json[]): body is readonly Json[] {
  return Array.isArray(body);
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

/** Server-sent events; with `breaksAfter` the connection is cut after that number of events. */
async function sendEvents(
  response: ServerResponse,
  events: readonly Json[],
  { breaksAfter = Infinity, lastText }: ScriptedAnswer & { readonly lastText: string },
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
  response.end(lastText);
}
