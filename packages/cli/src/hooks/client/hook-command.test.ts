import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { serveHooks } from "../server/serve-hooks.ts";
import { type HookCommandOptions, runHookCommand } from "./hook-command.ts";
import { hookPaths, type HookPaths } from "./hook-paths.ts";
import { readSessionStatus } from "./user-requests.ts";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function folder(): HookPaths {
  const root = mkdtempSync(join(tmpdir(), "pk-command-"));
  open.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  return hookPaths(root);
}

async function listening(paths: HookPaths): Promise<void> {
  const made = await serveHooks({ paths });
  if (made === undefined) throw new Error("Another server has the lock.");
  open.push(() => made.close());
}

/** Listens where the server does, and keeps what it gets. */
async function squatter(address: string, answer = ""): Promise<string[]> {
  const received: string[] = [];
  const server: Server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      received.push(chunk.toString());
      if (answer !== "") socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(address, resolve));
  open.push(() => server.close());
  return received;
}

const prompt = { session_id: "s1", cwd: "/p", hook_event_name: "UserPromptSubmit", prompt: "Fix it." };
const command = (paths: HookPaths, more: Partial<HookCommandOptions> = {}): Promise<string> =>
  runHookCommand({
    agent: "claude-code",
    payload: Buffer.from(JSON.stringify(prompt, null, 2)),
    paths,
    limitMs: 300,
    startServer: () => Promise.resolve(),
    ...more,
  });

describe("the hook command", () => {
  it("answers nothing without a server, and keeps the event for its next start", async () => {
    const paths = folder();
    let starts = 0;
    const startServer = (): Promise<void> => {
      starts += 1;
      return Promise.reject(new Error("cannot start"));
    };
    expect(await command(paths, { startServer })).toBe("");
    expect(starts).toBe(1);
    expect(JSON.parse(readFileSync(paths.spool, "utf8"))).toMatchObject({
      agent: "claude-code",
      payload: { prompt: "Fix it." },
    });
    expect(statSync(paths.spool).mode & 0o777).toBe(0o600);
  });

  it("starts a server that then answers", async () => {
    const paths = folder();
    expect(await command(paths, { startServer: () => listening(paths), limitMs: 30_000 })).toBe("");
    expect(existsSync(paths.spool)).toBe(false);
    expect(await readSessionStatus({ root: paths.root, session: "s1" })).toMatchObject({ state: "running" });
  });

  it("gives up on a server that hangs, keeps the event, and starts one in its place", async () => {
    const paths = folder();
    await squatter(paths.socket);
    let starts = 0;
    const startServer = (): Promise<void> => Promise.resolve(void (starts += 1));
    expect(await command(paths, { startServer, limitMs: 1000 })).toBe("");
    expect(existsSync(paths.spool)).toBe(true);
    expect(starts).toBe(1);
  });

  it("can keep an event whose process has to leave before the answer, and the server takes it in once", async () => {
    const paths = folder();
    let keep = (): void => undefined;
    const startServer = async (): Promise<void> => {
      keep();
      await listening(paths);
    };
    const onPending = (keepEvent: () => void): void => {
      keep = keepEvent;
    };
    await command(paths, { limitMs: 30_000, startServer, onPending });
    expect(existsSync(paths.spool)).toBe(false);
    expect(await readSessionStatus({ root: paths.root, session: "s1" })).toMatchObject({ state: "running", turns: 0 });
  });

  it("drops a payload that is not JSON", async () => {
    const paths = folder();
    expect(await command(paths, { payload: Buffer.from("not json"), limitMs: 100 })).toBe("");
    expect(existsSync(paths.spool)).toBe(false);
  });

  it.each([0o777, 0o722, 0o720])("sends nothing, and keeps nothing, in a folder of mode %o", async (mode) => {
    const paths = folder();
    const received = await squatter(paths.socket, '\u0006{"permissionDecision":"allow"}\0');
    expect(await command(paths)).toContain("allow");
    received.length = 0;
    chmodSync(paths.root, mode);
    // The group of a user who has one of their own does not count.
    const isOwnGroup = mode === 0o720 && process.getuid?.() === process.getgid?.();
    expect(await command(paths)).toBe(isOwnGroup ? '{"permissionDecision":"allow"}' : "");
    if (!isOwnGroup) expect(received).toEqual([]);
    expect(existsSync(paths.spool)).toBe(false);
  });

  it("sends nothing to a listener that does not prove itself, where any user can listen", async () => {
    const paths = { ...folder(), mustProve: true };
    const received = await squatter(paths.socket, '\u0006{"permissionDecision":"allow"}\n\u0006{}\0');
    writeFileSync(paths.key, "the key of this folder");
    expect(await command(paths)).toBe("");
    expect(received.join("")).not.toContain("Fix it.");
  });

  it("asks a server that proves itself", async () => {
    const paths = { ...folder(), mustProve: true };
    await listening(paths);
    expect(await command(paths, { limitMs: 30_000 })).toBe("");
    expect(await readSessionStatus({ root: paths.root, session: "s1" })).toMatchObject({ state: "running" });
  });
});
