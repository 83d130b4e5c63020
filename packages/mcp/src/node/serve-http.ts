import { defined } from "@phasekit/core/adapter";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { HttpSettings } from "../define-server.ts";
import { notLoopback, weakToken } from "../errors.ts";
import { createPhaseServer, type PhaseServerOptions } from "../phase-server.ts";
import { checkRequest, type RequestRules } from "./check-request.ts";

/** Options for `serveHttp()`. */
export interface HttpOptions extends HttpSettings {
  readonly token: string;
  /** A longer body is answered with 413. @default 1048576 */
  readonly maxBodyBytes?: number;
  /** Receives errors that happen outside of any call. */
  readonly onError?: (error: unknown) => void;
}

/** A listening server. */
export interface HttpServer {
  /** Address for clients. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const PATH = "/mcp";
/** The addresses a request may name as its `Host`. */
const OWN_ADDRESSES: readonly string[] = ["127.0.0.1", "::1", "localhost"];

/**
 * Serves any number of clients over streamable HTTP, on this machine only. There are no sessions: state lives in the
 * tools. A request needs the token, a `Host` that names this machine, and no `Origin` or an allowed one.
 *
 * @throws NOT_LOOPBACK, WEAK_TOKEN, DUPLICATE_TOOL
 */
export async function serveHttp(
  options: PhaseServerOptions,
  {
    port = 0,
    host = "127.0.0.1",
    token,
    allowedOrigins = [],
    maxBodyBytes = 1_048_576,
    onError = () => undefined,
  }: HttpOptions,
): Promise<HttpServer> {
  if (!OWN_ADDRESSES.includes(host)) throw notLoopback(host);
  if (token.length < 16) throw weakToken();
  // Throws now if the options are invalid, not at the first request.
  createPhaseServer(options);
  const handler = createMcpHandler(() => createPhaseServer(options), {
    maxRequestBodySize: maxBodyBytes,
    onerror: onError,
  });
  const rules: RequestRules = { token, allowedOrigins };
  const server = createServer((request, response) => {
    answer(request, response, { rules, fetch: handler.fetch }).catch((error: unknown) => {
      onError(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { address, port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${isIP(address) === 6 ? `[${address}]` : address}:${String(taken)}${PATH}`,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface AnswerContext {
  readonly rules: RequestRules;
  readonly fetch: (request: Request) => Promise<Response>;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { rules, fetch }: AnswerContext,
): Promise<void> {
  const { origin } = request.headers;
  if (origin !== undefined && rules.allowedOrigins.includes(origin)) allowPage(response, origin);
  // A browser sends its preflight request without the token.
  const authorization = request.method === "OPTIONS" ? `Bearer ${rules.token}` : request.headers.authorization;
  const problem = checkRequest({ ...request.headers, ...defined({ authorization }) }, rules);
  if (problem !== undefined) return refuse(response, problem.status, problem.text);
  if (request.method === "OPTIONS") return void response.writeHead(204).end();
  if (request.url?.split("?", 1)[0] !== PATH) return refuse(response, 404, `Not found. The server is at ${PATH}.`);

  const gone = new AbortController();
  response.once("close", () => {
    gone.abort();
  });
  const given = await fetch(requestOf(request, gone.signal));
  response.writeHead(given.status, Object.fromEntries(given.headers));
  if (given.body === null) return void response.end();
  await pipeline(Readable.fromWeb(given.body), response).catch((error: unknown) => {
    // The client has left and does not need the rest.
    if (!gone.signal.aborted) throw error;
  });
}

function requestOf(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", headers, url = "/" } = request;
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, [value].flat().join(", ")]],
  );
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, "http://localhost"), {
    method,
    headers: given,
    signal,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: "half" }),
  });
}

function refuse(response: ServerResponse, status: number, text: string): void {
  const challenge = status === 401 ? { "www-authenticate": "Bearer" } : {};
  // The body is not read, so the connection cannot be reused.
  response.writeHead(status, { "content-type": "application/json", connection: "close", ...challenge });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_000, message: text } }));
}

function allowPage(response: ServerResponse, origin: string): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "origin");
  response.setHeader("access-control-allow-methods", "POST");
  response.setHeader(
    "access-control-allow-headers",
    "authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name",
  );
}
