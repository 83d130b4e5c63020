import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpServer, serveHttp } from "../src/node.ts";
import { ITEM, openWorkshop, type Workshop } from "./workshop.ts";

const TOKEN = "a-token-that-nobody-guesses";
const PAGE = "http://localhost:5173";
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "phase_status", arguments: {} } };

let folder: string;
let server: HttpServer;
let workshop: Workshop;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "phasekit-mcp-"));
  workshop = await openWorkshop(folder);
  server = await serveHttp(workshop.definition, { token: TOKEN, allowedOrigins: [PAGE], maxBodyBytes: 50_000 });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
}

/** A request by hand: the host and the origin are headers nobody lets us set otherwise. */
function send({ headers = {}, method = "POST", path, body = JSON.stringify(CALL) }: Sent): Promise<{
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}> {
  const { hostname, port, pathname } = new URL(server.url);
  const usual = {
    authorization: `Bearer ${TOKEN}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path: path ?? pathname, method, headers: { ...usual, ...headers } },
      (response) => {
        let text = "";
        response
          .setEncoding("utf8")
          .on("data", (chunk: string) => (text += chunk))
          .on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
      },
    );
    sent.on("error", reject);
    sent.end(method === "GET" || method === "OPTIONS" ? undefined : body);
  });
}

describe("serveHttp checks the headers", () => {
  it.each<{ readonly name: string; readonly headers: Readonly<Record<string, string>>; readonly status: number }>([
    { name: "the token", headers: {}, status: 200 },
    { name: "this machine by its name", headers: { host: "localhost:1234" }, status: 200 },
    { name: "an allowed page", headers: { origin: PAGE }, status: 200 },
    { name: "no token", headers: { authorization: "" }, status: 401 },
    { name: "another token", headers: { authorization: "Bearer a-token-that-somebody-guesses" }, status: 401 },
    { name: "the token without its scheme", headers: { authorization: TOKEN }, status: 401 },
    { name: "the beginning of the token", headers: { authorization: `Bearer ${TOKEN.slice(0, -1)}` }, status: 401 },
    { name: "a foreign page", headers: { origin: "https://evil.example" }, status: 403 },
    { name: "another page of this machine", headers: { origin: "http://localhost:9999" }, status: 403 },
    { name: "an origin that says nothing", headers: { origin: "null" }, status: 403 },
    { name: "a foreign name that leads here", headers: { host: "evil.example" }, status: 403 },
    { name: "a name that looks like ours", headers: { host: "localhost.evil.example:80" }, status: 403 },
    { name: "an address that looks like ours", headers: { host: "127.0.0.1.evil.example" }, status: 403 },
    { name: "a name with something before it", headers: { host: "user@localhost" }, status: 403 },
  ])("$name gets status $status", async ({ headers, status }) => {
    const answer = await send({ headers });
    expect(answer.status).toBe(status);
    expect(answer.text.includes("STORY") || answer.text.includes('Phase \\"research\\"')).toBe(status === 200);
  });

  it("serveHttp answers 401 with www-authenticate and closes the connection", async () => {
    expect((await send({ headers: { authorization: "" } })).headers).toMatchObject({
      "www-authenticate": "Bearer",
      connection: "close",
    });
  });

  it("serveHttp answers the preflight request of an allowed page only", async () => {
    const allowed = await send({ method: "OPTIONS", headers: { origin: PAGE, authorization: "" } });
    expect([allowed.status, allowed.headers["access-control-allow-origin"]]).toEqual([204, PAGE]);
    const foreign = await send({ method: "OPTIONS", headers: { origin: "https://evil.example" } });
    expect([foreign.status, foreign.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
  });
});

describe("serveHttp checks the request", () => {
  it.each<{ readonly name: string; readonly sent: Sent; readonly status: number }>([
    { name: "no JSON", sent: { body: "{ this is not" }, status: 400 },
    { name: "JSON that is no message", sent: { body: '{"hello":1}' }, status: 400 },
    { name: "another kind of content", sent: { headers: { "content-type": "text/plain" } }, status: 415 },
    {
      name: "a body that is too long and says so",
      sent: { body: JSON.stringify({ ...CALL, padding: "x".repeat(60_000) }) },
      status: 413,
    },
    {
      name: "a body that is too long and does not say so",
      sent: {
        headers: { "transfer-encoding": "chunked" },
        body: JSON.stringify({ ...CALL, padding: "x".repeat(60_000) }),
      },
      status: 413,
    },
    { name: "a session that could be read", sent: { method: "GET" }, status: 405 },
    { name: "another path", sent: { path: "/" }, status: 404 },
  ])("$name gets status $status", async ({ sent, status }) => {
    expect((await send(sent)).status).toBe(status);
    // Whatever came, the next one is served.
    expect((await send({})).status).toBe(200);
  });

  it("serveHttp records no rejected request", async () => {
    const before = workshop.events.length;
    await send({
      headers: { origin: "https://evil.example" },
      body: JSON.stringify({ ...CALL, params: { name: "ask_for_help", arguments: { question: ITEM } } }),
    });
    expect(workshop.events).toHaveLength(before);
  });

  it.each([
    { name: "an address others reach", options: { token: TOKEN, host: "0.0.0.0" }, code: "NOT_LOOPBACK" },
    { name: "an address of another machine", options: { token: TOKEN, host: "192.168.1.4" }, code: "NOT_LOOPBACK" },
    {
      name: "an address of this machine that no request may name",
      options: { token: TOKEN, host: "127.0.0.2" },
      code: "NOT_LOOPBACK",
    },
    {
      name: "a name that could lead anywhere",
      options: { token: TOKEN, host: "localhost.example" },
      code: "NOT_LOOPBACK",
    },
    { name: "a token of fifteen characters", options: { token: "x".repeat(15) }, code: "WEAK_TOKEN" },
  ])("serveHttp does not listen with $name", async ({ options, code }) => {
    await expect(serveHttp(workshop.definition, options)).rejects.toMatchObject({ code });
  });

  it("serveHttp does not listen with two tools of one name", async () => {
    const { tools } = workshop.definition;
    await expect(serveHttp({ tools: [...tools, ...tools] }, { token: "x".repeat(16) })).rejects.toMatchObject({
      code: "DUPLICATE_TOOL",
    });
  });
});
