import { request as httpRequest } from "node:http";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { askServer } from "../client/ask-server.ts";
import { runHookCommand } from "../client/hook-command.ts";
import { hookPaths, type HookPaths } from "../client/hook-paths.ts";
import { createHookServer } from "./hook-server.ts";
import { type ListeningServer, serveHooks } from "./serve-hooks.ts";
import { readStatusLine } from "../client/read-status-line.ts";
import { readSessionStatus, waiveGate } from "../client/user-requests.ts";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function folder(config: object = { modes: { "claude-code": "gate", codex: "gate" } }): HookPaths {
  const root = mkdtempSync(join(tmpdir(), "pk-hooks-"));
  open.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  writeFileSync(join(root, "hooks.json"), JSON.stringify(config));
  return hookPaths(root);
}

/** Time passes between events, so that one that comes again is a new one. */
function server(paths: HookPaths, problems: unknown[] = [], clock = tenSecondsApart()) {
  const made = createHookServer({ paths, clock, onProblem: (problem) => problems.push(problem) });
  open.push(() => made.close());
  return made;
}

function tenSecondsApart(): () => number {
  let time = 1000;
  return () => (time += 10_000);
}

async function listening(paths: HookPaths): Promise<ListeningServer> {
  const made = await serveHooks({ paths });
  if (made === undefined) throw new Error("Another server has the lock.");
  open.push(() => made.close());
  return made;
}

const base = { session_id: "s1", cwd: "/p" };
const hook = (payload: object, agent = "claude-code"): string =>
  JSON.stringify({ op: "hook", agent, payload: { ...base, ...payload } });
const input = { file_path: "/p/a.ts", old_string: "a", new_string: "b" };
const prompt = hook({ hook_event_name: "UserPromptSubmit", prompt: "Fix it." });
const edited = [
  hook({ hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: input, tool_use_id: "t1" }),
  hook({ hook_event_name: "PostToolUse", tool_name: "Edit", tool_input: input, tool_use_id: "t1", tool_response: {} }),
  hook({ hook_event_name: "PostToolBatch", tool_calls: [] }),
];
const stop = hook({ hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." });

/** Types of the events of the only run, of those that are asked for. */
function typesOf({ runs }: HookPaths, wanted: readonly string[]): readonly string[] {
  return readdirSync(runs, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .flatMap((name) => readFileSync(join(runs, name), "utf8").split("\n"))
    .flatMap((line) => /^\{"type":"([^"]+)"/.exec(line)?.[1] ?? [])
    .filter((type) => wanted.includes(type));
}

describe("the local server", () => {
  it("keeps a session in memory and answers in the agent's own shape", async () => {
    const { reply } = server(folder());
    for (const request of [prompt, ...edited]) expect(await reply(request)).toBe("");
    expect(JSON.parse(await reply(stop))).toMatchObject({
      hookSpecificOutput: { hookEventName: "Stop", additionalContext: expect.stringContaining("Run them") as unknown },
    });
    expect(await reply(stop)).toBe("");
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    '{"op":"hook"}',
    '{"op":"hook","agent":"unknown","payload":{}}',
    hook({ session_id: 7 }),
  ])("answers nothing to %s", async (request) => {
    expect(await server(folder()).reply(request)).toBe("");
  });

  it("resumes a session from its log after a restart", async () => {
    const paths = folder();
    const first = server(paths);
    for (const request of [prompt, ...edited]) await first.reply(request);
    await first.close();
    const second = server(paths);
    expect(JSON.parse(await second.reply(stop))).toMatchObject({ hookSpecificOutput: { hookEventName: "Stop" } });
    expect(readdirSync(paths.runs).filter((name) => name.startsWith("claude-code-s1"))).toHaveLength(1);
  });

  it("accepts everything when the log of a session cannot be read", async () => {
    const paths = folder();
    const first = server(paths);
    for (const request of [prompt, ...edited]) await first.reply(request);
    await first.close();
    for (const name of readdirSync(paths.runs, { recursive: true, encoding: "utf8" }))
      if (name.endsWith(".jsonl")) writeFileSync(join(paths.runs, name), "not a log\n");
    const problems: unknown[] = [];
    const second = server(paths, problems);
    for (const request of [...edited, stop]) expect(await second.reply(request)).toBe("");
    expect(problems.length).toBeGreaterThan(0);
  });

  it.each(["the same server", "another server"])(
    "continues the run of a session that the user continues in a new process, under %s",
    async (which) => {
      const paths = folder();
      const first = server(paths);
      const end = hook({ hook_event_name: "SessionEnd", reason: "exit" });
      const resumed = hook({ hook_event_name: "SessionStart", source: "resume" });
      for (const request of [prompt, ...edited, stop, stop, end]) await first.reply(request);
      // A look at the old session continues nothing.
      for (const request of [resumed, end]) await first.reply(request);
      if (which === "another server") await first.close();
      const { reply } = which === "another server" ? server(paths) : first;
      for (const request of [resumed, prompt, ...edited]) await reply(request);
      expect(JSON.parse(await reply(stop))).toMatchObject({ hookSpecificOutput: {} });
      for (const request of [stop, end]) await reply(request);
      expect(readdirSync(paths.runs).filter((name) => name.includes("s1"))).toHaveLength(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(typesOf(paths, ["run.started", "run.finished", "run.resumed", "message.received"])).toEqual([
        "run.started",
        "run.finished",
        "run.resumed",
        "message.received",
        "run.finished",
      ]);
    },
  );

  it("takes in what found no server, without answering to it", async () => {
    const paths = folder();
    const lines = [prompt, ...edited].map((line) => `${line}\n`).join("");
    writeFileSync(paths.spool, `${lines}{"torn": \n`);
    const { reply } = server(paths);
    expect(JSON.parse(await reply(stop))).toMatchObject({ hookSpecificOutput: { hookEventName: "Stop" } });
    expect(existsSync(paths.spool)).toBe(false);
  });

  it("takes in once what its sender sent and then left in the spool, too", async () => {
    const paths = folder();
    const withId = `{"id":"1-2-3",${prompt.slice(1)}`;
    const { reply, sessions } = server(paths);
    await reply(withId);
    writeFileSync(paths.spool, `${withId}\n`);
    await reply(JSON.stringify({ op: "ping" }));
    expect(existsSync(paths.spool)).toBe(false);
    const log = readdirSync(paths.runs, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(paths.runs, name), "utf8"))
      .join("");
    expect(log).not.toContain('"message.received"');
    expect(sessions()).toMatchObject([{ turns: 1 }]);
  });

  it("takes the events of two installations for one", async () => {
    const paths = folder();
    const { reply, sessions } = server(paths, [], () => 1000);
    const twice: string[] = [];
    for (const request of [prompt, ...edited, stop]) twice.push(await reply(request), await reply(request));
    expect(twice.filter((answer) => answer !== "")).toHaveLength(1);
    // The agent was sent back by one of them: its session is not over.
    expect(sessions()).toMatchObject([{ state: "running", toolCalls: 1, owed: ["fresh-tests"] }]);
  });

  it("does not answer an agent that gave up waiting, and records no block for it", async () => {
    const paths = folder();
    let now = 10_000;
    const { reply } = server(paths, [], () => now);
    const send = (request: string, waitedMs = 0): Promise<string> => {
      now += 10_000;
      return reply(JSON.stringify({ ...(JSON.parse(request) as object), at: now - waitedMs }));
    };
    for (const request of [prompt, ...edited]) await send(request);
    expect(await send(stop, 2000)).toBe("");
    const runs = readdirSync(paths.runs, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith("jsonl"),
    );
    const log = readFileSync(join(paths.runs, runs[0] ?? ""), "utf8");
    expect(log).toContain('"type":"finish.requested"');
    expect(log).not.toContain('"hooks.blocked"');
    await send(prompt);
    for (const request of edited) await send(request);
    expect(await send(stop, 100)).toContain("fresh-tests");
  });

  it("keeps a veto of a spooled finish to itself", async () => {
    const paths = folder();
    writeFileSync(paths.spool, [prompt, ...edited, stop].map((line) => `${line}\n`).join(""));
    const { readSpool, sessions } = server(paths);
    expect(await readSpool()).toBe(5);
    expect(sessions()).toMatchObject([{ state: "waiting" }]);
  });

  it("reports the status of a session, and lets the user waive a gate", async () => {
    const paths = folder();
    await listening(paths);
    for (const request of [prompt, ...edited]) await askServer(paths.socket, request, 1000);
    const { root } = paths;
    expect(await readSessionStatus({ root, session: "s1" })).toMatchObject({ phase: "acting", mode: "gate" });
    expect(await readSessionStatus({ root, session: "unknown" })).toBeUndefined();
    expect(await readStatusLine(JSON.stringify({ session_id: "s1" }), paths)).toBe("phasekit gate · acting · 2 turns");
    expect(await readStatusLine("not json", hookPaths(join(root, "nowhere")))).toBe("phasekit: no live session");
    expect(await waiveGate({ root, cwd: "/p", gate: "fresh-tests", reason: "No tests here." })).toEqual({
      waived: ["claude-code-s1"],
      refused: [],
    });
    expect(await waiveGate({ root, cwd: "/elsewhere", gate: "fresh-tests", reason: "x" })).toEqual({
      waived: [],
      refused: [],
    });
    expect(await askServer(paths.socket, stop, 1000)).toBe("");
  });

  it("is one per folder", async () => {
    const paths = folder();
    await listening(paths);
    expect(await serveHooks({ paths })).toBeUndefined();
  });

  it("takes the place of a server that was killed", async () => {
    const paths = folder();
    writeFileSync(paths.lock, "999999999");
    writeFileSync(paths.socket, "");
    await listening(paths);
    expect(JSON.parse(await askServer(paths.socket, JSON.stringify({ op: "ping" }), 1000))).toEqual({
      pid: process.pid,
    });
  });

  it("takes the place of a server whose number another program has now", async () => {
    const paths = folder();
    writeFileSync(paths.lock, String(process.pid));
    expect(await serveHooks({ paths })).toBeUndefined();
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(paths.lock, longAgo, longAgo);
    await listening(paths);
  });

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
    await askServer(paths.socket, prompt, 1000);
    const idle = connect(paths.socket);
    open.push(() => idle.destroy());
    await new Promise((resolve) => idle.once("connect", resolve));
    rmSync(paths.root, { recursive: true });
    await close();
    await closed;
  });

  it("leaves when it is asked to, and takes its lock along", async () => {
    const paths = folder();
    const { closed } = await listening(paths);
    await askServer(paths.socket, JSON.stringify({ op: "shutdown" }), 1000);
    await closed;
    expect(existsSync(paths.lock)).toBe(false);
  });

  it.each([
    ["the token", "Bearer secret", "/phasekit/claude-code", 200],
    ["a wrong token", "Bearer wrongs", "/phasekit/claude-code", 401],
    ["no token", undefined, "/phasekit/claude-code", 401],
    ["another path", "Bearer secret", "/", 404],
  ])("answers over HTTP with %s: %s", async (...[, authorization, path, status]) => {
    const port = await freePort();
    const paths = folder({ modes: {}, http: { port, token: "secret" } });
    await listening(paths);
    const body = JSON.stringify({ ...base, hook_event_name: "SessionStart", source: "startup" });
    expect(await post({ port, path, authorization, body })).toBe(status);
  });
});

describe("the hook command", () => {
  const command = (paths: HookPaths, startServer = () => Promise.resolve(), limitMs = 300) =>
    runHookCommand({
      agent: "claude-code",
      payload: JSON.stringify({ ...base, hook_event_name: "UserPromptSubmit", prompt: "Fix it." }, null, 2),
      paths,
      limitMs,
      startServer,
    });

  it("answers nothing without a server, and keeps the event for its next start", async () => {
    const paths = folder();
    let starts = 0;
    expect(
      await command(paths, () => {
        starts += 1;
        return Promise.reject(new Error("cannot start"));
      }),
    ).toBe("");
    expect(starts).toBe(1);
    expect(JSON.parse(readFileSync(paths.spool, "utf8"))).toMatchObject({ op: "hook", payload: { prompt: "Fix it." } });
  });

  it("starts a server that then answers", async () => {
    const paths = folder({ modes: {} });
    const start = async (): Promise<void> => {
      await listening(paths);
    };
    expect(await command(paths, start, 30_000)).toBe("");
    expect(existsSync(paths.spool)).toBe(false);
    expect(await readSessionStatus({ root: paths.root, session: "s1" })).toMatchObject({ state: "running" });
  });

  it("gives up on a server that hangs, and keeps the event", async () => {
    const paths = folder();
    const silent: Server = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(paths.socket, resolve));
    open.push(() => silent.close());
    expect(await command(paths)).toBe("");
    expect(existsSync(paths.spool)).toBe(true);
  });

  it("can keep an event whose process has to leave before the answer, and the server takes it in once", async () => {
    const paths = folder();
    let keep = (): void => undefined;
    const payload = JSON.stringify({ ...base, hook_event_name: "UserPromptSubmit", prompt: "Fix it." });
    const startServer = async (): Promise<void> => {
      keep();
      await listening(paths);
    };
    const onPending = (keepEvent: () => void): void => {
      keep = keepEvent;
    };
    await runHookCommand({ agent: "claude-code", payload, paths, limitMs: 30_000, startServer, onPending });
    expect(existsSync(paths.spool)).toBe(false);
    expect(await readSessionStatus({ root: paths.root, session: "s1" })).toMatchObject({ state: "running", turns: 0 });
  });

  it("drops a payload that is not JSON", async () => {
    const paths = folder();
    const answer = await runHookCommand({
      agent: "claude-code",
      payload: "not json",
      paths,
      limitMs: 100,
      startServer: () => Promise.resolve(),
    });
    expect(answer).toBe("");
    expect(existsSync(paths.spool)).toBe(false);
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const made = createServer().listen({ host: "127.0.0.1", port: 0 }, () => {
      const address = made.address();
      made.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

function post({
  port,
  path,
  authorization,
  body,
}: {
  readonly port: number;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = authorization === undefined ? {} : { authorization };
    const sent = httpRequest({ host: "127.0.0.1", port, path, method: "POST", headers, agent: false }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
