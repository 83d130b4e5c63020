import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createRun } from "@phasekit/core";
import { createMemoryStore, readRun, storeRun } from "@phasekit/ledger";
import { afterEach, describe, expect, it } from "vitest";
import { type ReceivedWebhook, isWebhookSigned, sendRun, sendStoredRun, webhookSink } from "../index.ts";

const secret = `whsec_${Buffer.from("a secret of some length").toString("base64")}`;
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A receiver that answers as it is told, then with 200. */
async function receive(...statuses: readonly number[]) {
  const waiting = [...statuses];
  const requests: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      requests.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(waiting.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`, requests };
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

interface Body {
  readonly id: string;
  readonly run: string;
  readonly events: readonly { readonly seq: number; readonly type: string }[];
}

describe("webhookSink", () => {
  it("posts every event of a run in order, signed, and again when the receiver was down", async () => {
    const { url, requests } = await receive(503, 429);
    const run = createRun({ id: "run-1", clock: () => 5 });
    const sending = sendRun(run, webhookSink({ url, secret }), { lingerMs: 0, retryMs: 1 });
    run.beforeTurn();
    run.record({ type: "message.sent", text: "Done." });
    run.end();
    const status = await sending.close();
    expect(status).toMatchObject({ waiting: 0, dropped: 0 });
    const [first, second, third] = requests.map(({ body }) => JSON.parse(body) as Body);
    expect([second?.id, third?.id]).toEqual([first?.id, first?.id]);
    const arrived = requests.slice(2).flatMap(({ body }) => (JSON.parse(body) as Body).events);
    expect(arrived.map(({ seq }) => seq)).toEqual(arrived.map((_, index) => index + 1));
    expect(arrived.at(-1)?.type).toBe("run.finished");
    for (const request of requests) expect(await isWebhookSigned(request, { secret })).toBe(true);
  });

  it("signs as Standard Webhooks does", async () => {
    const { url, requests } = await receive();
    await webhookSink({ url, secret, clock: () => 1_700_000_000_000 }).send({
      id: "run-1:1-2",
      run: "run-1",
      events: [],
    });
    const { headers, body } = requests[0]!;
    const signature = createHmac("sha256", "a secret of some length")
      .update(`run-1:1-2.1700000000.${body}`)
      .digest("base64");
    expect(headers).toMatchObject({
      "webhook-id": "run-1:1-2",
      "webhook-timestamp": "1700000000",
      "webhook-signature": `v1,${signature}`,
    });
  });

  it("is not convincing with another body, another secret, or late", async () => {
    const { url, requests } = await receive();
    await webhookSink({ url, secret, clock: () => 1000_000 }).send({ id: "a", run: "a", events: [] });
    const request = requests[0]!;
    const clock = (): number => 1010_000;
    expect(await isWebhookSigned(request, { secret, clock })).toBe(true);
    expect(await isWebhookSigned({ ...request, body: `${request.body} ` }, { secret, clock })).toBe(false);
    expect(await isWebhookSigned(request, { secret: "another secret, long", clock })).toBe(false);
    expect(await isWebhookSigned(request, { secret, clock: () => 2000_000 })).toBe(false);
    expect(await isWebhookSigned({ headers: {}, body: "" }, { secret, clock })).toBe(false);
  });

  it("needs a secret", () => {
    expect(() => webhookSink({ url: "http://localhost", secret: "short" })).toThrow(
      expect.objectContaining({ code: "NO_SECRET" }),
    );
  });

  it("drops what a receiver refuses for good, and takes secrets out", async () => {
    const { url, requests } = await receive(400);
    const run = createRun({ id: "run-2", clock: () => 5 });
    const sending = sendRun(run, webhookSink({ url, secret }), { lingerMs: 0 });
    run.record({ type: "message.sent", text: "ghp_x8Kq2mVz7Lw9Bt4Yc6Nd1Rf3Hs5Jg0PaUeIo" });
    const status = await sending.close();
    expect(status).toMatchObject({ sent: 0, waiting: 0 });
    expect(status.dropped).toBeGreaterThan(1);
    expect(requests[0]?.body).not.toContain("ghp_");
  });
});

describe("sendStoredRun", () => {
  it("sends what is new, and nothing is lost when the receiver is down", async () => {
    const store = createMemoryStore();
    const run = createRun({ id: "run-3", clock: () => 5 });
    const stored = storeRun(run, store);
    for (let turn = 0; turn < 150; turn += 1) {
      run.beforeTurn();
      run.record({ type: "message.sent", text: `Turn ${String(turn)}.` });
    }
    await stored.flush();
    const { url, requests } = await receive(200, 500);
    const sink = webhookSink({ url, secret });
    await expect(sendStoredRun(store, "run-3", { sink })).rejects.toThrow("500");
    const first = (JSON.parse(requests[0]!.body) as Body).events.at(-1)!.seq;
    const last = await sendStoredRun(store, "run-3", { sink, after: first });
    run.end();
    await stored.close();
    await sendStoredRun(store, "run-3", { sink, after: last });
    const seen = new Set(requests.flatMap(({ body }) => (JSON.parse(body) as Body).events.map(({ seq }) => seq)));
    const count = (await readRun(store, "run-3")).length;
    expect([...seen].sort((one, other) => one - other)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });
});
