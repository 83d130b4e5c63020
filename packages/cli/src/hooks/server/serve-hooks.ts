import { timingSafeEqual } from "node:crypto";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { chmodSync, closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { askServer } from "../client/ask-server.ts";
import { readHookConfig } from "./hook-config.ts";
import type { HookPaths } from "../client/hook-paths.ts";
import { createHookServer, type HookServerOptions } from "./hook-server.ts";

export interface ServeHooksOptions extends HookServerOptions {
  /** Leaves after this time without a request. @default 4 hours */
  readonly idleMs?: number;
  /** False once the server was uninstalled; it then leaves, or does not start. @default always true */
  readonly isWanted?: () => boolean;
}

/** A server that listens. */
export interface ListeningServer {
  /** Resolves once the server has let go of everything. */
  readonly closed: Promise<void>;
  readonly close: () => Promise<void>;
}

const MAX_REQUEST = 40 * 1024 * 1024;
const WATCH_MS = 30_000;
const FOUR_HOURS = 4 * 60 * 60 * 1000;

/**
 * Serves hook events on the socket and, if the configuration names a port, over HTTP on the loopback interface with a
 * token. Resolves with undefined if another server does so already.
 */
export async function serveHooks({
  idleMs = FOUR_HOURS,
  isWanted = () => true,
  ...options
}: ServeHooksOptions): Promise<ListeningServer | undefined> {
  const { paths } = options;
  // Before anything is written: an uninstall may have come first.
  if (!isWanted()) return undefined;
  const server = createHookServer(options);
  if (!(await takeLock(paths))) {
    await server.close();
    return undefined;
  }
  let settle: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  let idle: NodeJS.Timeout | undefined;
  const touch = (): void => {
    clearTimeout(idle);
    idle = setTimeout(() => void close(), idleMs);
    idle.unref();
  };

  async function reply(request: string): Promise<string> {
    touch();
    if (/^\{"op":"shutdown"\}\s*$/.test(request)) {
      setTimeout(() => void close(), 10);
      return "{}";
    }
    return server.reply(request);
  }

  const open = new Set<Socket>();
  const sockets = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    takeRequest(socket, reply);
  });
  await server.readSpool().catch(() => 0);
  if (process.platform !== "win32") rmSync(paths.socket, { force: true });
  await listen(sockets, paths.socket);
  if (process.platform !== "win32") chmodSync(paths.socket, 0o600);
  const http = await serveHttp(readHookConfig(paths.config).http, reply);
  touch();
  // A server whose folder was removed, or whose lock another one took, has no sessions left to serve.
  if (!isWanted()) setTimeout(() => void close(), 0);
  const watch = setInterval(() => {
    if (!isWanted() || !isOurs(paths.lock)) void close();
  }, WATCH_MS);
  watch.unref();

  let closing: Promise<void> | undefined;
  function close(): Promise<void> {
    closing ??= (async () => {
      clearTimeout(idle);
      clearInterval(watch);
      try {
        for (const socket of open) socket.destroy();
        await Promise.all([stop(sockets), http === undefined ? undefined : stop(http)]);
        await server.close();
      } catch (error) {
        // The folder may be gone; the process leaves all the same.
        options.onProblem?.(error);
      } finally {
        if (isOurs(paths.lock)) rmSync(paths.lock, { force: true });
        settle();
      }
    })();
    return closing;
  }
  return { closed, close };
}

/** A request ends with a NUL, or with its sender's half of the connection. */
function takeRequest(socket: Socket, reply: (request: string) => Promise<string>): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let isAnswered = false;
  const answer = (): void => {
    if (isAnswered) return;
    isAnswered = true;
    const request = Buffer.concat(chunks).toString("utf8").replace(/\0$/, "");
    void reply(request).then((text) => socket.end(text));
  };
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_REQUEST) socket.destroy();
    else chunks.push(chunk);
    if (chunk.at(-1) === 0) answer();
  });
  socket.on("end", answer);
}

/** `POST /phasekit/<agent>` with the event as its body; the reply is the answer the agent reads. */
async function serveHttp(
  address: { readonly port: number; readonly token: string } | undefined,
  reply: (request: string) => Promise<string>,
): Promise<HttpServer | undefined> {
  if (address === undefined) return undefined;
  const expected = Buffer.from(`Bearer ${address.token}`);
  const http = createHttpServer((request, response) => {
    const given = Buffer.from(request.headers.authorization ?? "");
    const agent = /^\/phasekit\/([a-z-]+)$/.exec(request.url ?? "")?.[1];
    const isAllowed = given.length === expected.length && timingSafeEqual(given, expected);
    if (request.method !== "POST" || agent === undefined || !isAllowed) {
      response.writeHead(isAllowed ? 404 : 401).end();
      request.resume();
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_REQUEST) request.destroy();
      else chunks.push(chunk);
    });
    request.on("error", () => undefined);
    request.on("end", () => {
      const head = JSON.stringify({ op: "hook", agent, at: Date.now() });
      const body = Buffer.concat(chunks).toString("utf8");
      void reply(`${head.slice(0, -1)},"payload":${body === "" ? "null" : body}}`).then((text) => {
        response.writeHead(200, { "content-type": "application/json" }).end(text === "" ? "{}" : text);
      });
    });
  });
  try {
    await listen(http, { host: "127.0.0.1", port: address.port });
    return http;
  } catch {
    // Another program has the port; the socket still serves.
    return undefined;
  }
}

type Listener = ReturnType<typeof createServer> | HttpServer;

function listen(server: Listener, where: string | { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => {
      server.off("error", reject);
      server.on("error", () => undefined);
      resolve();
    });
  });
}

function stop(server: Listener): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
}

/** A server listens this soon after it took the lock. */
const STARTING_MS = 10_000;

/** Takes the lock, also from a server that is gone. */
async function takeLock({ lock, socket }: HookPaths): Promise<boolean> {
  if (createLock(lock)) return true;
  if (isHeld(lock) && (isFresh(lock) || (await answers(socket)))) return false;
  // Renaming is atomic: of two that find the lock stale, one gets it.
  const stale = `${lock}.${String(process.pid)}`;
  try {
    renameSync(lock, stale);
    rmSync(stale, { force: true });
  } catch {
    return false;
  }
  return createLock(lock);
}

function isFresh(lock: string): boolean {
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && Math.abs(Date.now() - made) < STARTING_MS;
}

/** After a restart of the machine, another program may have the number of the server that is gone. */
async function answers(socket: string): Promise<boolean> {
  try {
    await askServer(socket, JSON.stringify({ op: "ping" }), 1000);
    return true;
  } catch {
    return false;
  }
}

function createLock(path: string): boolean {
  try {
    const file = openSync(path, "wx", 0o600);
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch {
    return false;
  }
}

function isOurs(lock: string): boolean {
  try {
    return Number(readFileSync(lock, "utf8")) === process.pid;
  } catch {
    return false;
  }
}

function isHeld(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    if (!Number.isInteger(pid) || pid <= 0) return false;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
