import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Redactor, RunEvent } from "@phasekit/core";
import { readRun, redactSecrets, type RunStore } from "@phasekit/ledger";
import { notLoopback } from "../errors.ts";
import { overviewOf } from "../views/overview.ts";
import { summaryLine } from "../views/run-line.ts";
import { checkRequest } from "./check-request.ts";
import { contentPolicy, pageHtml } from "./page-html.ts";
import { readReviewAnswer, type ReviewAnswer } from "./review-answer.ts";

export interface ServeOptions {
  /** Where the runs are. It is only read. */
  readonly store: RunStore;
  /** @default 0, any free one */
  readonly port?: number;
  /** @default "127.0.0.1" */
  readonly host?: string;
  /** What a visitor must know. @default a random one */
  readonly token?: string;
  /** @default "Runs" */
  readonly title?: string;
  /** Takes secrets out of what is shown; `false` shows everything as stored. @default redactSecrets() */
  readonly redact?: Redactor | false;
  /** Takes a person's answer to a review; false when nobody waits for it. Without it, reviews can only be read. */
  readonly answerReview?: (run: string, review: string, answer: ReviewAnswer) => boolean | Promise<boolean>;
}

/** A live view that is being served. */
export interface ServedRuns {
  /** The address to open, with the token. */
  readonly url: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const MAX_RUNS = 1000;
const HEARTBEAT_MS = 15_000;

/**
 * Serves the views of a report live over a store: on this machine only, read-only, for those who have the token.
 *
 * @example
 * const { url } = await serveRuns({ store: createFileStore({ folder: ".phasekit/runs" }) });
 * @throws NOT_LOOPBACK
 */
export async function serveRuns({ store, port = 0, host = "127.0.0.1", token = randomBytes(24).toString("base64url"), title = "Runs", redact = redactSecrets(), answerReview }: ServeOptions): Promise<ServedRuns> {
  if (!LOOPBACK.has(host)) throw notLoopback(host);
  const clean = (event: RunEvent): RunEvent => (redact === false ? event : (redact(event as never) as unknown as RunEvent));
  const hosts = new Set<string>();

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else reply(response, 500, { error: error instanceof Error ? error.message : String(error) });
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://loopback");
    protect(response);
    const refusal = checkRequest(request, { hosts, token, query: url.searchParams });
    if (refusal !== undefined) return reply(response, refusal.status, { error: refusal.text });
    const [api, kind, run, what, id] = url.pathname.split("/").slice(1).map(decodePart);
    if (request.method === "POST") {
      if (api !== "api" || kind !== "runs" || run === undefined || what !== "reviews" || id === undefined) return reply(response, 404, { error: "There is nothing here." });
      return takeAnswer({ request, response, run, review: id });
    }
    if (url.pathname === "/") return sendPage(response);
    if (api !== "api" || kind !== "runs") return reply(response, 404, { error: "There is nothing here." });
    if (run === undefined) return reply(response, 200, (await store.list({ limit: MAX_RUNS })).map((summary) => ({ line: summaryLine(summary) })));
    if (what === undefined) return sendOverview(response, run);
    if (what === "events") return sendEvents(response, run);
    return reply(response, 404, { error: "There is nothing here." });
  }

  function sendPage(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": `${contentPolicy({ live: true })}; frame-ancestors 'none'` });
    response.end(pageHtml({ title, live: true, runs: [] }));
  }

  async function sendOverview(response: ServerResponse, run: string): Promise<void> {
    const events = await readRun(store, run);
    if (events.length === 0) return reply(response, 404, { error: "There is no such run." });
    reply(response, 200, overviewOf(events.map(clean), { alive: events.at(-1)?.type !== "run.finished" }));
  }

  async function sendEvents(response: ServerResponse, run: string): Promise<void> {
    response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" });
    // An empty line now and then: a broken connection is noticed, and the page skips it.
    const heartbeat = setInterval(() => response.write("\n"), HEARTBEAT_MS);
    const batches = (store.tail ?? store.read)(run)[Symbol.asyncIterator]();
    response.once("close", () => {
      clearInterval(heartbeat);
      void batches.return?.();
    });
    for (let next = await batches.next(); next.done !== true && !response.closed; next = await batches.next()) {
      const text = next.value.map((event) => `${JSON.stringify(clean(event))}\n`).join("");
      if (!response.write(text)) await new Promise((resolve) => { response.once("drain", resolve).once("close", resolve); });
    }
    response.end();
  }

  async function takeAnswer({ request, response, run, review }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly run: string; readonly review: string }): Promise<void> {
    if (answerReview === undefined) return reply(response, 409, { error: "Nobody listens for answers here." });
    const answer = await readReviewAnswer(request);
    if (answer === undefined) return reply(response, 400, { error: "An answer has a verdict (approve, needs-changes or reject) and feedback of at most 10,000 characters." });
    const taken = await answerReview(run, review, answer);
    reply(response, taken ? 200 : 409, taken ? { ok: true } : { error: "This review does not wait any more." });
  }

  await listen(server, port, host);
  const address = server.address() as AddressInfo;
  for (const name of LOOPBACK) hosts.add(`${name.includes(":") ? `[${name}]` : name}:${String(address.port)}`);
  const shown = host === "::1" ? "[::1]" : host;
  return {
    url: `http://${shown}:${String(address.port)}/?token=${token}`,
    port: address.port,
    close: () => new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    }),
  };
}

function protect(response: ServerResponse): void {
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cache-control", "no-store");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  response.setHeader("x-frame-options", "DENY");
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}

function decodePart(part: string): string | undefined {
  try {
    return part === "" ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}
