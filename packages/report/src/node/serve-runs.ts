import type { ReviewVerdict } from "@phasekit/core/adapter";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isPhasekitError, type Redactor, type RunEvent } from "@phasekit/core";
import { readRun, redactSecrets, type RunStore } from "@phasekit/ledger";
import { notLoopback } from "../errors.ts";
import { pricedOverview, type ReportPrices } from "../views/priced-overview.ts";
import { contentPolicy, pageHtml } from "./page-html.ts";
import { type ParsedRequest, parseRequest, type Refusal } from "./parse-request.ts";
import { parseVerdict, readBody } from "./parse-verdict.ts";
import { createRunFeeds, type RunFeeds } from "./run-feed.ts";
import { createRunLines } from "./run-lines.ts";
import { sendFeed } from "./send-feed.ts";
import { createSessionTokens, type SessionTokens } from "./session-tokens.ts";

export interface ServeOptions {
  /** The store to serve, read-only. */
  readonly store: RunStore;
  /** @default 0, any free port */
  readonly port?: number;
  /** @default "127.0.0.1" */
  readonly host?: string;
  /**
   * A token for programs, sent as `x-phasekit-token`. Pages exchange the code in their url for a token of their own.
   * @default none
   */
  readonly token?: string;
  /** Called when a page has used the code of a url. */
  readonly onOpened?: () => void;
  /** @default "Runs" */
  readonly title?: string;
  /** Removes secrets from the page; `false` shows everything as stored. @default redactSecrets() */
  readonly redact?: Redactor | false;
  /** Prices for model calls whose log reports no cost. @default none: their cost is unknown */
  readonly prices?: ReportPrices;
  /** Delivers an answer to a review; false if none waits for it. Without this option, reviews are read-only. */
  readonly answerReview?: (run: string, review: string, answer: ReviewVerdict) => boolean | Promise<boolean>;
}

/** A running server of live pages. */
export interface RunServer {
  /** The url to open. Its code works once and is behind the `#`, so browsers never send it. */
  readonly url: string;
  /** Creates a url for another browser. */
  readonly createUrl: () => string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const MAX_RUNS = 1000;
const NOTHING = { error: "Not found." };

/**
 * Serves the runs of a store as live pages: on localhost, read-only, for the first browser that opens the url.
 *
 * @example
 * const { url } = await serveRuns({ store: createFileStore({ folder: ".phasekit/runs" }) });
 * @throws NOT_LOOPBACK
 */
export async function serveRuns({
  store,
  port = 0,
  host = "127.0.0.1",
  token,
  onOpened,
  title = "Runs",
  redact = redactSecrets(),
  prices,
  answerReview,
}: ServeOptions): Promise<RunServer> {
  if (!LOOPBACK.has(host)) throw notLoopback(host);
  const clean = (event: RunEvent): RunEvent =>
    redact === false ? event : (redact(event as never) as unknown as RunEvent);
  const hosts = new Set<string>();
  const sessions = createSessionTokens(token);
  const site: Site = {
    ...{ store, clean, hosts, sessions, title, prices, answerReview, onOpened },
    feeds: createRunFeeds({ store, clean }),
    linesOf: createRunLines({ store, clean, prices }),
  };
  const server = createServer((request, response) => {
    handle(site, { request, response }).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else
        reply(response, 500, {
          error: isPhasekitError(error) ? error.message : "The server failed to handle the request.",
        });
    });
  });
  await listen(server, port, host);
  const address = server.address() as AddressInfo;
  for (const name of LOOPBACK) hosts.add(`${name.includes(":") ? `[${name}]` : name}:${String(address.port)}`);
  const shown = host === "::1" ? "[::1]" : host;
  const createUrl = (): string => `http://${shown}:${String(address.port)}/#code=${sessions.createCode()}`;
  return {
    url: createUrl(),
    createUrl,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Everything that answers to requests are made of. */
interface Site {
  readonly store: RunStore;
  readonly clean: (event: RunEvent) => RunEvent;
  /** The names under which requests may come. */
  readonly hosts: ReadonlySet<string>;
  readonly sessions: SessionTokens;
  readonly feeds: RunFeeds;
  readonly linesOf: ReturnType<typeof createRunLines>;
  readonly title: string;
  readonly prices: ReportPrices | undefined;
  readonly answerReview: ServeOptions["answerReview"];
  readonly onOpened: (() => void) | undefined;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function handle(site: Site, { request, response }: Exchange): Promise<void> {
  protect(response);
  const parsed = parseRequest(request, { hosts: site.hosts });
  if ("status" in parsed) return reply(response, parsed.status, { error: parsed.text });
  const refusal = refusalOf(request, parsed, site.sessions);
  if (refusal !== undefined) return reply(response, refusal.status, { error: refusal.text });
  const [api, kind, run, what, id] = parsed.path;
  const length = parsed.path.length;
  // The page contains no data, so it needs no token; it requests the data.
  if (length === 0) return sendPage(response, site.title);
  if (isExchange(parsed)) return exchangeCode(site, { request, response });
  if (parsed.method === "POST" && run !== undefined && id !== undefined)
    return takeAnswer(site, { request, response, run, review: id });
  if (api !== "api" || kind !== "runs") return reply(response, 404, NOTHING);
  if (run === undefined) {
    const lines = await site.linesOf(await site.store.list({ limit: MAX_RUNS }));
    return reply(
      response,
      200,
      lines.map((line) => ({ line })),
    );
  }
  if (length === 3) return sendOverview(site, response, run);
  if (length === 4 && what === "events") return sendEvents(site, response, run);
  return reply(response, 404, NOTHING);
}

/** Requires a token, and for writes a JSON body, which an HTML form cannot send. */
function refusalOf(
  request: IncomingMessage,
  { method, path, token: given }: ParsedRequest,
  sessions: SessionTokens,
): Refusal | undefined {
  const isOpen = (method === "GET" && path.length === 0) || (method === "POST" && isExchange({ method, path }));
  if (!isOpen && !sessions.has(given))
    return { status: 401, text: "The token is missing or wrong. Open the newest url that `phasekit ui` printed." };
  if (method === "GET") return undefined;
  if (!isExchange({ method, path }) && !isReview(path)) return { status: 404, text: NOTHING.error };
  return /^application\/json(?:;|$)/i.test(request.headers["content-type"] ?? "")
    ? undefined
    : { status: 415, text: "Send the answer as application/json." };
}

async function exchangeCode({ sessions, onOpened }: Site, { request, response }: Exchange): Promise<void> {
  const session = sessions.exchange(codeIn(await readBody(request)));
  if (session === undefined)
    return reply(response, 401, {
      error: "This url was already used or is unknown. Open the newest url that `phasekit ui` printed.",
    });
  reply(response, 200, { token: session });
  onOpened?.();
}

function sendPage(response: ServerResponse, title: string): void {
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `${contentPolicy({ live: true })}; frame-ancestors 'none'`,
  });
  response.end(pageHtml({ title, live: true, runs: [] }));
}

async function sendOverview(site: Site, response: ServerResponse, run: string): Promise<void> {
  const events = await readRun(site.store, run);
  if (events.length === 0) return reply(response, 404, { error: "The run does not exist." });
  const alive = await isAlive(site, run, events);
  reply(response, 200, pricedOverview(events.map(site.clean), { alive, prices: site.prices }));
}

/** A log without an end may be of a process that is gone; the store knows who writes. */
async function isAlive({ store }: Site, run: string, events: readonly RunEvent[]): Promise<boolean> {
  if (events.at(-1)?.type === "run.finished") return false;
  const known = (await store.list({ limit: MAX_RUNS })).find((summary) => summary.run === run);
  return known === undefined || known.state === "running";
}

async function sendEvents({ feeds }: Site, response: ServerResponse, run: string): Promise<void> {
  response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" });
  await sendFeed(response, feeds.follow(run));
}

async function takeAnswer(
  { answerReview }: Site,
  { request, response, run, review }: Exchange & { readonly run: string; readonly review: string },
): Promise<void> {
  if (answerReview === undefined)
    return reply(response, 409, { error: "This server does not accept answers to reviews." });
  const answer = parseVerdict(await readBody(request));
  if (answer === undefined)
    return reply(response, 400, {
      error: "An answer has a verdict (approve, needs-changes or reject) and feedback of at most 10,000 characters.",
    });
  const taken = await answerReview(run, review, answer);
  reply(response, taken ? 200 : 409, taken ? { ok: true } : { error: "This review does not wait any more." });
}

const isExchange = ({ method, path }: Pick<ParsedRequest, "method" | "path">): boolean =>
  method === "POST" && path.length === 2 && path[0] === "api" && path[1] === "session";

const isReview = (path: ParsedRequest["path"]): boolean =>
  path.length === 5 && path[0] === "api" && path[1] === "runs" && path[3] === "reviews";

function codeIn(body: string): string {
  try {
    const { code } = JSON.parse(body) as { readonly code?: unknown };
    return typeof code === "string" ? code : "";
  } catch {
    return "";
  }
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

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}
