import type { LooseObject } from "@phasekit/core/adapter";
import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { makePrivateFolder, readPrivateFile, writePrivateFile } from "../../config/private-folder.ts";
import { cannotServe } from "../../errors.ts";
import { askControl } from "../client/ask-control.ts";
import type { HookPaths } from "../client/hook-paths.ts";
import { rootProblem } from "../client/root-problem.ts";
import { createHookServer, type HookServer, type HookServerOptions } from "./hook-server.ts";
import { listenForRequests, type Reply, type RequestListener } from "./listen-for-requests.ts";
import { type ServerLock, takeServerLock } from "./server-lock.ts";

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

const MAX_EVENT = 40 * 1024 * 1024;
const WATCH_MS = 30_000;
const FOUR_HOURS = 4 * 60 * 60 * 1000;
const PING_MS = 500;

/**
 * Serves hook events on one socket and the user's commands on another, both in a folder that is only the user's.
 * Resolves with undefined if another server does so already.
 * @throws CANNOT_SERVE if the folder is not safe or a socket cannot be opened. The reason is also in `paths.problem`.
 */
export async function serveHooks({
  idleMs = FOUR_HOURS,
  isWanted = () => true,
  ...options
}: ServeHooksOptions): Promise<ListeningServer | undefined> {
  const { paths, onError = () => undefined } = options;
  // Before anything is written: an uninstall may have come first.
  if (!isWanted()) return undefined;
  const unsafe = rootProblem(paths);
  if (unsafe !== undefined) throw cannotServe(unsafe);
  makePrivateFolder(paths.root);
  const answers = async (): Promise<boolean> =>
    (await askControl(paths, { op: "ping" }, { limitMs: PING_MS })) !== undefined;
  const lock = await takeServerLock(paths, { answers, onError });
  if (lock === undefined) return undefined;
  const server = createHookServer(options);
  await server.readSpool().catch(onError);

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
  const operate = async (request: LooseObject): Promise<Reply> => {
    touch();
    if (request["op"] === "shutdown") setTimeout(() => void close(), 10);
    return { text: JSON.stringify(await server.operate(request)) };
  };
  const takeEvent = (head: LooseObject, body: Buffer): Promise<Reply> => {
    touch();
    return server.takeEvent(head, body.toString("utf8"));
  };
  const listeners = await listen(paths, { takeEvent, operate }).catch(async (error: unknown) => {
    await letGo({ server, lock, listeners: [] });
    throw noteProblem(paths, error);
  });
  rmSync(paths.problem, { force: true });
  touch();
  // A server whose folder was removed, or whose lock another one took, has no sessions left to serve.
  if (!isWanted()) setTimeout(() => void close(), 0);
  const watch = setInterval(() => {
    if (!isWanted() || !lock.isOurs()) void close();
  }, WATCH_MS);
  watch.unref();

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    clearTimeout(idle);
    clearInterval(watch);
    // The folder may be gone; the process leaves all the same.
    closing ??= letGo({ server, lock, listeners }).catch(onError).finally(settle);
    return closing;
  };
  return { closed, close };
}

async function letGo({
  server,
  lock,
  listeners,
}: {
  readonly server: HookServer;
  readonly lock: ServerLock;
  readonly listeners: readonly RequestListener[];
}): Promise<void> {
  try {
    await Promise.all(listeners.map((listener) => listener.close()));
    await server.close();
  } finally {
    lock.release();
  }
}

async function listen(
  paths: HookPaths,
  {
    takeEvent,
    operate,
  }: {
    readonly takeEvent: (head: LooseObject, body: Buffer) => Promise<Reply>;
    readonly operate: (request: LooseObject) => Promise<Reply>;
  },
): Promise<readonly RequestListener[]> {
  const key = serverKey(paths.key);
  const control = await listenForRequests({ address: paths.control, key, maxBody: 0, handle: operate });
  try {
    return [control, await listenForRequests({ address: paths.socket, key, maxBody: MAX_EVENT, handle: takeEvent })];
  } catch (error) {
    await control.close();
    throw error;
  }
}

/** The secret of this folder; a new one if there is none, or if others could have read or written it. */
function serverKey(file: string): string {
  const known = readPrivateFile(file, { maxBytes: 100 });
  if (known !== undefined && known.length >= 32) return known;
  const made = randomBytes(32).toString("base64url");
  writePrivateFile(file, made);
  return made;
}

/** Writes why the server cannot run to where the status line and `doctor` find it. */
function noteProblem({ problem, socket }: HookPaths, error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error);
  const found = cannotServe(`The local server cannot listen on ${socket}: ${why}`);
  try {
    writeFileSync(problem, `${found.message}\n`, { mode: 0o600 });
  } catch {
    // The log still says it.
  }
  return found;
}
