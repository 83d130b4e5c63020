import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { WorkerStatus } from "./run-worker.ts";

/** An address that says how a worker is. */
export interface ServedHealth {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Answers `GET /health` on this machine only: 200 as long as rounds end well, 503 when the last one failed or none has ended yet. */
export async function serveHealth(status: () => WorkerStatus, { port }: { readonly port: number }): Promise<ServedHealth> {
  const server = createServer((request, response) => {
    const isAsked = request.method === "GET" && request.url === "/health";
    const now = status();
    const ok = now.problem === null && now.lastRoundAt !== null;
    response.writeHead(isAsked ? (ok ? 200 : 503) : 404, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(isAsked ? { ok, ...now } : { error: "There is only /health here." }));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/health`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
