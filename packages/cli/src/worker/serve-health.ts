import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { WorkerStatus } from "./run-worker.ts";

/** The health endpoint of a worker. */
export interface HealthServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Serves `GET /health` on localhost: 200 if the last round succeeded, 503 if it failed or none has ended yet. */
export async function serveHealth(
  status: () => WorkerStatus & { readonly worker: string },
  { port }: { readonly port: number },
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const isAsked = request.method === "GET" && request.url === "/health";
    const now = status();
    const ok = now.problem === null && now.lastRoundAt !== null;
    response.writeHead(isAsked ? (ok ? 200 : 503) : 404, {
      "content-type": "application/json",
      "cache-control": "no-store",
    });
    response.end(JSON.stringify(isAsked ? { ok, ...now } : { error: "Not found. Use GET /health." }));
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
