import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { ACK, END, exchange, HELLO } from "./exchange.ts";

const folder = mkdtempSync(join(tmpdir(), "pk-ask-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A server outside this thread: it answers while this thread is held up. */
const SERVER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const server = require("node:net").createServer((socket) => {
    socket.once("data", () => {
      const reply = () => socket.end(workerData.reply, () => Atomics.store(workerData.sent, 0, 1));
      if (workerData.replies) setTimeout(reply, 200);
    });
  });
  server.listen(workerData.path, () => parentPort.postMessage("ready"));
`;

async function serverOf(path: string, { replies }: { readonly replies: boolean }) {
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(SERVER, { eval: true, workerData: { path, replies, sent, reply: `${ACK}{}${END}` } });
  await new Promise((resolve) => worker.once("message", resolve));
  return { worker, sent };
}

/** A listener that writes an answer to every chunk it gets, and keeps what it got. */
async function listener(name: string, answer: (chunk: string) => string | undefined) {
  const address = join(folder, name);
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      received.push(chunk.toString());
      const text = answer(chunk.toString());
      if (text === undefined) socket.end();
      else socket.write(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(address, resolve));
  open.push(() => new Promise((resolve) => server.close(resolve)));
  return { address, received };
}

const request = { head: { op: "ping" } };

describe("exchange", () => {
  it("reads a reply that came while its own process was held up beyond the limit", async () => {
    const address = join(folder, "a.sock");
    const { worker, sent } = await serverOf(address, { replies: true });
    const reply = exchange(request, { address, limitMs: 300 });
    reply.catch(() => undefined);
    // The request leaves in the first turns of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const until = performance.now() + 400;
    while (performance.now() < until || Atomics.load(sent, 0) === 0);
    await expect(reply).resolves.toBe("{}");
    await worker.terminate();
  });

  it("gives up on a server that does not reply", async () => {
    const address = join(folder, "b.sock");
    const { worker } = await serverOf(address, { replies: false });
    await expect(exchange(request, { address, limitMs: 50 })).rejects.toMatchObject({ isAbsent: false });
    await worker.terminate();
  });

  it("takes a reply without its end for a server that was killed, not for an answer", async () => {
    const { address } = await listener("c.sock", () => undefined);
    await expect(exchange(request, { address, limitMs: 5000 })).rejects.toMatchObject({ isAbsent: true });
  });

  it("tells a server that does not even notice the request from one that is busy", async () => {
    const silent = await listener("d.sock", () => "");
    const busy = await listener("e.sock", () => ACK);
    const quiet: string[] = [];
    for (const { address } of [silent, busy])
      await expect(
        exchange(request, { address, limitMs: 1500, onSilence: () => quiet.push(address) }),
      ).rejects.toMatchObject({ isAbsent: false });
    expect(quiet).toEqual([silent.address]);
  });

  it("sends the request only to a listener that proved that it knows the key", async () => {
    const readKey = (): string => "the key";
    const proof = (key: string) => (chunk: string) =>
      chunk.startsWith(HELLO)
        ? `${ACK}${createHmac("sha256", key).update(chunk.slice(1, -1)).digest("hex")}\n`
        : `${ACK}"here"${END}`;
    const stranger = await listener("f.sock", proof("a guess"));
    await expect(exchange(request, { address: stranger.address, limitMs: 5000, readKey })).rejects.toThrow("not our");
    const mute = await listener("g.sock", () => `${ACK}"yes"${END}`);
    await expect(exchange(request, { address: mute.address, limitMs: 100, readKey })).rejects.toThrow();
    expect([...stranger.received, ...mute.received].join("")).not.toContain("ping");
    const ours = await listener("h.sock", proof("the key"));
    await expect(exchange(request, { address: ours.address, limitMs: 5000, readKey })).resolves.toBe('"here"');
  });
});
