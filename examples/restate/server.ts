// Starts the Restate server that npm brought, with its files in a folder of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface RestateServer {
  /** Where workflows are started and awakeables are resolved. */
  readonly ingress: string;
  /** Tells the server where a worker listens. */
  readonly register: (workerPort: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a server, or returns the reason why none runs here. */
export async function startRestate(folder: string): Promise<RestateServer | { readonly unavailable: string }> {
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
  const program = join(import.meta.dirname, "node_modules/.bin/restate-server");
  const server = spawn(program, ["--base-dir", join(folder, "restate")], {
    cwd: folder,
    env: {
      ...process.env,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${String(ingress)}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${String(admin)}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${String(node)}`,
      RESTATE_ADVERTISED_HOST: "127.0.0.1",
      RESTATE_DISABLE_TELEMETRY: "true",
      DO_NOT_TRACK: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
    // The program is a script that starts the server: both end together.
    detached: true,
  });
  const lines: string[] = [];
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => lines.push(text));
  const failed = once(server, "error").then(([error]) => (error as Error).message);
  const isUp = waitUntilUp(`http://127.0.0.1:${String(admin)}/health`, server).then((up) =>
    up ? "" : lines.join("").slice(-800),
  );
  const unavailable = await Promise.race([failed, isUp]);
  if (unavailable !== "") return { unavailable };
  return {
    ingress: `http://127.0.0.1:${String(ingress)}`,
    register: async (workerPort) => {
      const { ok, status } = await post(`http://127.0.0.1:${String(admin)}/deployments`, {
        uri: `http://127.0.0.1:${String(workerPort)}`,
      });
      if (!ok) throw new Error(`Restate did not accept the worker: ${String(status)}`);
    },
    stop: async () => {
      const ended = once(server, "exit");
      process.kill(-(server.pid ?? 0), "SIGKILL");
      await ended;
    },
  };
}

export function post(url: string, body?: unknown): Promise<Response> {
  return fetch(url, {
    method: "POST",
    ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function waitUntilUp(url: string, server: ChildProcess): Promise<boolean> {
  while (server.pid !== undefined && server.exitCode === null && server.signalCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return true;
    await delay(50);
  }
  return false;
}
