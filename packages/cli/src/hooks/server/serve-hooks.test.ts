import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readRun } from "@phasekit/ledger";
import { storyOf } from "@phasekit/ledger/story";
import { createFileStore, nodeProcesses } from "@phasekit/ledger/node";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { askControl } from "../client/ask-control.ts";
import { exchange, NoServer } from "../client/exchange.ts";
import { hookPaths, type HookPaths } from "../client/hook-paths.ts";
import { readStatusLine } from "../client/read-status-line.ts";
import { readSessionStatus, waiveGate } from "../client/user-requests.ts";
import { type ListeningServer, serveHooks } from "./serve-hooks.ts";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function folder(): HookPaths {
  const root = mkdtempSync(join(tmpdir(), "pk-serve-"));
  open.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  writeFileSync(join(root, "hooks.json"), JSON.stringify({ modes: { "claude-code": "gate" } }));
  return hookPaths(root);
}

async function listening(paths: HookPaths, problems: unknown[] = []): Promise<ListeningServer> {
  const made = await serveHooks({ paths, onError: (problem) => problems.push(problem) });
  if (made === undefined) throw new Error("Another server has the lock.");
  open.push(() => made.close());
  return made;
}

const LIMIT = { limitMs: 20_000 };
const input = { file_path: "/p/a.ts", old_string: "a", new_string: "b" };
const call = { tool_name: "Edit", tool_input: input, tool_use_id: "t1" };
const edited = [
  { hook_event_name: "UserPromptSubmit", prompt: "Fix it." },
  { hook_event_name: "PreToolUse", ...call },
  { hook_event_name: "PostToolUse", ...call, tool_response: {} },
];
const stop = { hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." };

const send = ({ socket }: HookPaths, payload: object): Promise<string> =>
  exchange(
    {
      head: { agent: "claude-code", at: Date.now() },
      body: Buffer.from(JSON.stringify({ session_id: "s1", cwd: "/p", ...payload })),
    },
    { address: socket, ...LIMIT },
  );

const ping = (paths: HookPaths): Promise<unknown> => askControl(paths, { op: "ping" }, LIMIT);

/** Everything a raw connection gets for what it writes. */
function raw(address: string, text: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(address, () => socket.end(text));
    let received = "";
    socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(received));
  });
}

/** Sends an event as the hook command does, and leaves as soon as the server has noticed it. */
function leaveEarly({ socket: address }: HookPaths, payload: object): Promise<void> {
  const body = Buffer.from(JSON.stringify({ session_id: "s1", cwd: "/p", ...payload }));
  const head = { agent: "claude-code", at: Date.now(), until: Date.now() + 60_000, bytes: body.length };
  return new Promise((resolve) => {
    const socket = connect(address, () =>
      socket.write(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body])),
    );
    socket.once("data", () => socket.destroy());
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
  });
}

describe("an answer that does not arrive", () => {
  it("does not count as a veto: the run says so, and the finish is accepted", async () => {
    const paths = folder();
    await listening(paths);
    for (const payload of edited) await send(paths, payload);
    await leaveEarly(paths, stop);
    await vi.waitFor(async () => {
      expect(await readSessionStatus({ root: paths.root, session: "s1" })).toMatchObject({ state: "waiting" });
    });
    await send(paths, { hook_event_name: "SessionEnd" });
    const store = createFileStore(paths.runs);
    const events = await readRun(store, "claude-code-s1");
    await store.close();
    const withheld = events.filter((event) => event.type === "event.recorded" && event.name === "hooks.block-withheld");
    expect(withheld).toMatchObject([{ data: { block: "veto", why: "not-delivered" } }]);
    expect(events.at(-1)).toMatchObject({ type: "run.finished", reason: "done_unverified" });
    expect(storyOf(events).interventions.applied.vetoes).toBe(0);
  });

  it("is one if its reader gives a receipt", async () => {
    const paths = folder();
    await listening(paths);
    for (const payload of edited) await send(paths, payload);
    const reply = await exchange(
      {
        head: { agent: "claude-code", at: Date.now(), until: Date.now() + 60_000 },
        body: Buffer.from(JSON.stringify({ session_id: "s1", cwd: "/p", ...stop })),
      },
      { address: paths.socket, ...LIMIT },
    );
    expect(reply).toContain("Run the tests");
    await send(paths, { hook_event_name: "UserPromptSubmit", prompt: "Go on." });
    expect(await readSessionStatus({ root: paths.root, session: "s1" })).toMatchObject({ state: "running" });
  });

  it("is not decided on for a sender that waits no longer", async () => {
    const paths = folder();
    await listening(paths);
    for (const payload of edited) await send(paths, payload);
    const body = Buffer.from(JSON.stringify({ session_id: "s1", cwd: "/p", ...stop }));
    const head = { agent: "claude-code", at: Date.now(), until: Date.now() };
    expect(await exchange({ head, body }, { address: paths.socket, ...LIMIT })).toBe("");
    expect(await readSessionStatus({ root: paths.root, session: "s1" })).toMatchObject({ state: "waiting" });
  });
});

describe("the sockets of the local server", () => {
  it("take events on one, and the user's commands on the other", async () => {
    const paths = folder();
    await listening(paths);
    for (const payload of edited) await send(paths, payload);
    const { root } = paths;
    expect(await readSessionStatus({ root, session: "s1" })).toMatchObject({ phase: "acting", mode: "gate" });
    expect(await readSessionStatus({ root, session: "unknown" })).toBeUndefined();
    expect(await readStatusLine(JSON.stringify({ session_id: "s1" }), paths)).toBe("phasekit gate · acting · 1 turn");
    expect(await waiveGate({ root, cwd: "/p/deep", gate: "tests-fresh", reason: "No tests here." })).toEqual({
      waived: ["claude-code-s1"],
      refused: [],
    });
    expect(await waiveGate({ root, cwd: "/elsewhere", gate: "tests-fresh", reason: "x" })).toEqual({
      waived: [],
      refused: [],
    });
    expect(await send(paths, stop)).toBe("");
  });

  it("are this user's alone, and so is the key", async () => {
    const paths = folder();
    await listening(paths);
    for (const path of [paths.socket, paths.control, paths.key])
      expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
  });

  it("refuse what the other one is for", async () => {
    const paths = folder();
    await listening(paths);
    for (const payload of edited) await send(paths, payload);
    const waive = { op: "waive", gate: "tests-fresh", reason: "x", session: "s1" };
    expect(await exchange({ head: waive }, { address: paths.socket, ...LIMIT })).toBe("");
    const body = Buffer.from(JSON.stringify(stop));
    await expect(
      exchange({ head: { agent: "claude-code" }, body }, { address: paths.control, ...LIMIT }),
    ).rejects.toBeInstanceOf(NoServer);
    expect(await send(paths, stop)).toContain("Run the tests");
  });

  it.each([
    "",
    "{}",
    "\n",
    "null\n",
    '{"bytes":-1}\n',
    '{"bytes":1e18}\n',
    '{"bytes":"7"}\n',
    '{"bytes":100}\nshort',
    "\u0005\n\u0005\n",
    "x".repeat(200_000),
    Buffer.from([0, 255, 254, 10, 10, 10]),
    'POST / HTTP/1.1\r\nHost: x\r\n\r\n{"op":"waive"}\r\n',
  ])("stay open for others after %j", async (text) => {
    const paths = folder();
    const problems: unknown[] = [];
    await listening(paths, problems);
    for (const address of [paths.socket, paths.control]) expect((await raw(address, text)).length).toBeLessThan(200);
    expect(await ping(paths)).toMatchObject({ pid: process.pid });
  });

  it("prove to a caller that they are the server of this folder", async () => {
    const paths = folder();
    await listening(paths);
    expect(await ping(paths)).toMatchObject({ pid: process.pid });
    writeFileSync(paths.key, "another key");
    expect(await ping(paths)).toBeUndefined();
  });
});

/** A process that is the server as far as the lock shows, and does not answer. */
function silentServer({ lock }: HookPaths, age = 60_000): { readonly pid: number; readonly gone: Promise<void> } {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  open.push(() => child.kill("SIGKILL"));
  const pid = child.pid ?? 0;
  const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  writeFileSync(lock, JSON.stringify({ ...nodeProcesses().self(), pid, start }));
  const made = new Date(Date.now() - age);
  utimesSync(lock, made, made);
  return { pid, gone };
}

const onLinux = it.runIf(process.platform === "linux");

describe("the lock of the local server", () => {
  it("is one per folder", async () => {
    const paths = folder();
    await listening(paths);
    expect(await serveHooks({ paths })).toBeUndefined();
  });

  it.each([
    ["of a process that is gone", (lock: string) => writeFileSync(lock, '{"pid":999999999}')],
    ["of an earlier version", (lock: string) => writeFileSync(lock, "999999999")],
    ["that is garbage", (lock: string) => writeFileSync(lock, "{")],
    ["that is empty", (lock: string) => writeFileSync(lock, "")],
    ["that is a folder", (lock: string) => mkdirSync(lock)],
    [
      "of another program that has the number now",
      (lock: string) => writeFileSync(lock, JSON.stringify({ ...nodeProcesses().self(), start: "1" })),
    ],
    [
      "of another program, from the future",
      (lock: string) => {
        writeFileSync(lock, JSON.stringify({ ...nodeProcesses().self(), pid: process.ppid, start: "" }));
        const later = new Date(Date.now() + 5000);
        utimesSync(lock, later, later);
      },
    ],
  ])("%s is taken over", async (_what, prepare) => {
    const paths = folder();
    prepare(paths.lock);
    mkdirSync(paths.socket);
    writeFileSync(paths.control, "");
    await listening(paths);
    expect(await ping(paths)).toMatchObject({ pid: process.pid });
  });

  onLinux("is taken from a server that is stopped, which is ended", async () => {
    const paths = folder();
    const { pid, gone } = silentServer(paths);
    process.kill(pid, "SIGSTOP");
    const problems: unknown[] = [];
    await listening(paths, problems);
    await gone;
    expect(problems).toEqual([expect.stringContaining(`process ${String(pid)}) did not answer`)]);
    expect(await ping(paths)).toMatchObject({ pid: process.pid });
  });

  onLinux("is taken from a server that runs and does not answer, after a while", async () => {
    const paths = folder();
    const { gone } = silentServer(paths);
    await listening(paths);
    await gone;
  });

  onLinux("is taken from a server of an earlier version, which is ended", async () => {
    const paths = folder();
    mkdirSync(paths.bin);
    writeFileSync(join(paths.bin, "server.mjs"), "setInterval(() => {}, 1000);");
    const child = spawn(process.execPath, [join(paths.bin, "server.mjs")], { stdio: "ignore" });
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    open.push(() => child.kill("SIGKILL"));
    writeFileSync(paths.lock, String(child.pid));
    await listening(paths);
    await gone;
    expect(await ping(paths)).toMatchObject({ pid: process.pid });
  });

  onLinux("is left to a server that is just starting", async () => {
    const paths = folder();
    const { pid } = silentServer(paths, 0);
    expect(await serveHooks({ paths })).toBeUndefined();
    process.kill(pid, 0);
  });

  it("is released when the server is asked to leave", async () => {
    const paths = folder();
    const { closed } = await listening(paths);
    await askControl(paths, { op: "shutdown" }, LIMIT);
    await closed;
    expect(existsSync(paths.lock)).toBe(false);
  });
});

describe("the local server", () => {
  it("does not start, or leaves, once it was uninstalled", async () => {
    const paths = folder();
    rmSync(paths.root, { recursive: true });
    expect(await serveHooks({ paths, isWanted: () => false })).toBeUndefined();
    expect(existsSync(paths.root)).toBe(false);
    let asked = 0;
    const server = await serveHooks({ paths, isWanted: () => (asked += 1) === 1 });
    await server?.closed;
    expect(existsSync(paths.lock)).toBe(false);
  });

  it("leaves with a connection that is open and a folder that is gone", async () => {
    const paths = folder();
    const { close, closed } = await listening(paths);
    await send(paths, stop);
    const idle = connect(paths.socket);
    open.push(() => idle.destroy());
    await new Promise((resolve) => idle.once("connect", resolve));
    rmSync(paths.root, { recursive: true });
    await close();
    await closed;
  });

  it.each([0o777, 0o702])("does not run in a folder of mode %o", async (mode) => {
    const paths = folder();
    chmodSync(paths.root, mode);
    await expect(serveHooks({ paths })).rejects.toMatchObject({ code: "CANNOT_SERVE" });
    expect(existsSync(paths.lock)).toBe(false);
    expect(await readStatusLine("{}", paths)).toMatch(/^phasekit is off: .*every user can write to it$/);
  });

  it("makes a folder that only this user can open, whatever the umask", async () => {
    const paths = folder();
    rmSync(paths.root, { recursive: true });
    const before = process.umask(0);
    open.push(() => process.umask(before));
    await listening(paths);
    await send(paths, edited[0] ?? {});
    for (const path of [paths.root, paths.runs]) expect((statSync(path).mode & 0o777).toString(8)).toBe("700");
  });

  it("says why if it cannot listen, where the status line finds it, and no longer once it can", async () => {
    const paths = folder();
    const blocked = { ...paths, socket: join(paths.root, "no/such/folder/hooks.sock") };
    await expect(serveHooks({ paths: blocked })).rejects.toMatchObject({
      code: "CANNOT_SERVE",
      message: expect.stringContaining("cannot listen on") as unknown,
    });
    expect(existsSync(paths.lock)).toBe(false);
    expect(await readStatusLine("{}", paths)).toMatch(/^phasekit is off: The local server cannot listen on /);
    await listening(paths);
    expect(existsSync(paths.problem)).toBe(false);
    await vi.waitFor(async () => expect(await readStatusLine("{}", paths)).toBe("phasekit: no live session"));
  });
});
