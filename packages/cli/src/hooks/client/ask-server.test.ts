import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it } from "vitest";
import { askServer } from "./ask-server.ts";

const folder = mkdtempSync(join(tmpdir(), "pk-ask-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server outside this thread: it answers while this thread is held up. */
const SERVER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const server = require("node:net").createServer((socket) => {
    socket.once("data", () => {
      const reply = () => socket.end("{}", () => Atomics.store(workerData.sent, 0, 1));
      if (workerData.replies) setTimeout(reply, 200);
    });
  });
  server.listen(workerData.path, () => parentPort.postMessage("ready"));
`;

async function serverOf(path: string, { replies }: { readonly replies: boolean }) {
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(SERVER, { eval: true, workerData: { path, replies, sent } });
  await new Promise((resolve) => worker.once("message", resolve));
  return { worker, sent };
}

describe("askServer", () => {
  it("reads a reply that came while its own process was held up beyond the limit", async () => {
    const path = join(folder, "a.sock");
    const { worker, sent } = await serverOf(path, { replies: true });
    const reply = askServer(path, "{}", 300);
    reply.catch(() => undefined);
    // The request leaves in the first turns of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const until = performance.now() + 400;
    while (performance.now() < until || Atomics.load(sent, 0) === 0);
    await expect(reply).resolves.toBe("{}");
    await worker.terminate();
  });

  it("gives up on a server that does not reply", async () => {
    const path = join(folder, "b.sock");
    const { worker } = await serverOf(path, { replies: false });
    await expect(askServer(path, "{}", 50)).rejects.toMatchObject({ isAbsent: false });
    await worker.terminate();
  });
});
