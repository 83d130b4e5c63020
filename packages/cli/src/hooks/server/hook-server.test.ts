import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hookPaths, type HookPaths } from "../client/hook-paths.ts";
import { createHookServer } from "./hook-server.ts";

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
  const made = createHookServer({ paths, clock, onError: (problem) => problems.push(problem) });
  open.push(() => made.close());
  /** An event as it is in the spool: head and payload in one. */
  const reply = async (request: string): Promise<string> => {
    const { payload, ...about } = JSON.parse(request) as { readonly payload?: unknown };
    return (await made.takeEvent(about, JSON.stringify(payload ?? null))).text;
  };
  return { ...made, reply };
}

function tenSecondsApart(): () => number {
  let time = 1000;
  return () => (time += 10_000);
}

const base = { session_id: "s1", cwd: "/p" };
const hook = (payload: object, agent = "claude-code"): string =>
  JSON.stringify({ agent, payload: { ...base, ...payload } });
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

/** The reason the only run ended for. */
const endOf = ({ runs }: HookPaths): string | undefined =>
  /"type":"run\.finished".*"reason":"(\w+)"/.exec(
    readdirSync(runs, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(runs, name), "utf8"))
      .join(""),
  )?.[1];

describe("the local server", () => {
  it("keeps a session in memory and answers in the agent's own shape", async () => {
    const { reply } = server(folder());
    for (const request of [prompt, ...edited]) expect(await reply(request)).toBe("");
    expect(JSON.parse(await reply(stop))).toMatchObject({
      hookSpecificOutput: {
        hookEventName: "Stop",
        additionalContext: expect.stringContaining("Run the tests") as unknown,
      },
    });
    expect(await reply(stop)).toBe("");
  });

  it.each([
    [{}, "{}"],
    [{ agent: "unknown" }, "{}"],
    [{ agent: "claude-code" }, ""],
    [{ agent: "claude-code" }, "{"],
    [{ agent: "claude-code" }, "null"],
    [{ agent: "claude-code" }, "[]"],
    [{ agent: 7, event: {}, id: [], at: "now" }, '{"session_id":7}'],
    [{ agent: "claude-code" }, JSON.stringify({ session_id: 7, hook_event_name: "Stop" })],
    [{ agent: "constructor" }, "{}"],
  ])("answers nothing to %j %s", async (about, payload) => {
    expect(await server(folder()).takeEvent(about, payload)).toEqual({ text: "" });
  });

  it.each([
    'null,"op":"waive","gate":"tests-fresh","reason":"x","session":"s1"',
    '{},"op":"waive","gate":"tests-fresh","reason":"x","session":"s1"',
    '{"op":"waive","gate":"tests-fresh","reason":"x","session":"s1"}',
    '{"op":"status"}',
    '{"op":"shutdown"}',
  ])("takes events where events are sent, and no operation: %s", async (payload) => {
    const { reply, takeEvent } = server(folder());
    for (const request of [prompt, ...edited]) await reply(request);
    for (const about of [
      { agent: "claude-code" },
      { agent: "claude-code", op: "waive", gate: "tests-fresh", reason: "x" },
    ])
      expect(await takeEvent(about, payload)).toEqual({ text: "" });
    expect(await reply(stop)).toContain("Run the tests");
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
    const { reply, readSpool, sessions } = server(paths);
    await reply(withId);
    writeFileSync(paths.spool, `${withId}\n`);
    await readSpool();
    expect(existsSync(paths.spool)).toBe(false);
    const log = readdirSync(paths.runs, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(paths.runs, name), "utf8"))
      .join("");
    expect(log).not.toContain('"message.received"');
    expect(sessions()).toMatchObject([{ turns: 1 }]);
  });

  it("does not veto again because it was restarted: only the user's prompt starts anew", async () => {
    const paths = folder();
    const first = server(paths);
    for (const request of [prompt, ...edited]) await first.reply(request);
    expect(await first.reply(stop)).toContain("Run the tests");
    expect(await first.reply(stop)).toBe("");
    // The clock of a server that comes later is ahead.
    let time = 1_000_000;
    const again = async (...requests: readonly string[]): Promise<string> => {
      const next = createHookServer({ paths, clock: () => (time += 10_000) });
      let text = "";
      for (const request of requests) {
        const { payload, ...head } = JSON.parse(request) as { readonly payload: object };
        ({ text } = await next.takeEvent(head, JSON.stringify(payload)));
      }
      await next.close();
      return text;
    };
    await first.close();
    expect(await again(stop)).toBe("");
    const started = hook({ hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: input, tool_use_id: "t2" });
    expect(await again(started, stop)).toBe("");
  });

  it("takes the events of two installations for one", async () => {
    const paths = folder();
    const { reply, sessions } = server(paths, [], () => 1000);
    const twice: string[] = [];
    for (const request of [prompt, ...edited, stop]) twice.push(await reply(request), await reply(request));
    expect(twice.filter((answer) => answer !== "")).toHaveLength(1);
    // The agent was sent back by one of them: its session is not over.
    expect(sessions()).toMatchObject([{ state: "running", toolCalls: 1, owed: ["tests-fresh"] }]);
  });

  it("takes equal events of one sender for as many, and those of two installations for one", async () => {
    const { reply, sessions } = server(folder({ modes: { pi: "gate" } }), [], () => 1000);
    const send = async (sender: string, payload: object): Promise<string> =>
      reply(JSON.stringify({ agent: "pi", sender, payload: { hook: "pi", session: "s1", cwd: "/p", ...payload } }));
    const about = { tool: "bash", input: { command: "sed -i s/a/b/ a.ts" } };
    const tests = { tool: "bash", call: "t2", input: { command: "npx vitest run" } };
    const finish = { event: "finish", text: "Done." };
    const vetoes: string[] = [];
    for (const payload of [
      { event: "prompt", text: "Fix it." },
      { event: "tool.before", call: "t1", ...about },
      { event: "tool.after", call: "t1", ...about, output: "", isError: false },
      finish,
      { event: "tool.before", ...tests },
      { event: "tool.after", ...tests, output: "Tests  3 passed (3)", isError: false },
      finish,
    ])
      for (const sender of ["one", "two"]) vetoes.push(await send(sender, payload));
    expect(vetoes.filter((answer) => answer !== "")).toHaveLength(1);
    expect(sessions()).toMatchObject([{ state: "waiting", toolCalls: 2 }]);
  });

  it.each([
    ["finished", "done", [{ event: "finish", text: "4." }]],
    ["worked", "interrupted", []],
  ])("ends the run of an agent that %s and was killed as %s", async (_what, reason, more) => {
    const paths = folder({ modes: { pi: "observe" } });
    const { reply } = server(paths);
    const agent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    open.push(() => agent.kill("SIGKILL"));
    await new Promise((resolve) => agent.once("spawn", resolve));
    for (const payload of [{ event: "prompt", text: "What is 2 + 2?" }, ...more])
      await reply(
        JSON.stringify({ agent: "pi", pid: agent.pid, payload: { hook: "pi", session: "s1", cwd: "/p", ...payload } }),
      );
    expect(typesOf(paths, ["run.finished"])).toEqual([]);
    agent.kill("SIGKILL");
    await vi.waitFor(() => expect(endOf(paths)).toBe(reason), { timeout: 20_000 });
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
    expect(await send(stop, 100)).toContain("tests-fresh");
  });

  it("keeps a veto of a spooled finish to itself", async () => {
    const paths = folder();
    writeFileSync(paths.spool, [prompt, ...edited, stop].map((line) => `${line}\n`).join(""));
    const { readSpool, sessions } = server(paths);
    expect(await readSpool()).toBe(5);
    expect(sessions()).toMatchObject([{ state: "waiting" }]);
  });

  it("finds the spool of a server that was killed, and takes in once what that one had stored", async () => {
    const paths = folder();
    const lines = [prompt, ...edited].map((line, index) => `{"id":"e${String(index)}",${line.slice(1)}\n`);
    const first = server(paths);
    // The server before took the spool over and stored half of it. One of an earlier version left another.
    for (const line of lines.slice(0, 3)) await first.reply(line);
    await first.close();
    writeFileSync(`${paths.spool}.1`, lines.join(""));
    writeFileSync(`${paths.spool}.71234`, `${stop}\n`);
    const { readSpool, sessions } = server(paths);
    expect(await readSpool()).toBe(5);
    expect(sessions()).toMatchObject([{ toolCalls: 1, state: "waiting" }]);
    expect(typesOf(paths, ["run.started", "tool.requested", "tool.finished", "finish.requested"])).toEqual([
      "run.started",
      "tool.requested",
      "tool.finished",
      "finish.requested",
    ]);
    expect(readdirSync(paths.root).filter((name) => name.startsWith("spool"))).toEqual([]);
  });

  it("keeps a spool until the store has all of it", async () => {
    const paths = folder();
    writeFileSync(paths.spool, `{"id":"e0",${prompt.slice(1)}\n`);
    // A store that cannot write.
    writeFileSync(paths.runs, "");
    const problems: unknown[] = [];
    let now = 1000;
    const { readSpool } = server(paths, problems, () => (now += 10_000));
    await readSpool();
    expect(problems).not.toEqual([]);
    const left = (): readonly string[] => readdirSync(paths.root).filter((name) => name.startsWith("spool"));
    expect(left()).toEqual(["spool.jsonl.1"]);
    rmSync(paths.runs);
    const second = server(paths);
    await second.readSpool();
    expect(left()).toEqual([]);
    expect(second.sessions()).toMatchObject([{ state: "running" }]);
  });

  it("reads a spool whose name a folder has", async () => {
    const paths = folder();
    mkdirSync(`${paths.spool}.5`);
    writeFileSync(paths.spool, `${prompt}\n`);
    const { readSpool, sessions } = server(paths);
    await readSpool();
    expect(sessions()).toHaveLength(1);
  });

  it("takes in once what is sent again to the server after it", async () => {
    const paths = folder();
    const withId = (line: string, index: number): string => `{"id":"e${String(index)}",${line.slice(1)}`;
    const lines = [prompt, ...edited].map(withId);
    const first = server(paths);
    for (const line of lines) await first.reply(line);
    await first.close();
    const { reply, sessions } = server(paths);
    for (const line of lines) expect(await reply(line)).toBe("");
    expect(sessions()).toEqual([]);
    expect(await reply(stop)).toContain("Run the tests");
    expect(sessions()).toMatchObject([{ toolCalls: 1 }]);
  });

  it("keeps the order of a session's events that come while its config is loaded", async () => {
    const paths = folder();
    const loadConfig = (): Promise<undefined> => new Promise((resolve) => setTimeout(() => resolve(undefined), 20));
    const made = createHookServer({ paths, loadConfig });
    open.push(() => made.close());
    const answers = await Promise.all(
      [prompt, ...edited, stop].map((request) => {
        const { payload, ...about } = JSON.parse(request) as { readonly payload: unknown };
        return made.takeEvent({ ...about, at: Date.now() }, JSON.stringify(payload));
      }),
    );
    expect(answers.map(({ text }) => text !== "")).toEqual([false, false, false, false, true]);
    expect(
      typesOf(paths, ["run.started", "run.resumed", "tool.requested", "tool.finished", "finish.requested"]),
    ).toEqual(["run.started", "tool.requested", "tool.finished", "finish.requested"]);
  });

  it("answers for one session while another one waits for its config", async () => {
    const paths = folder();
    let release = (): void => undefined;
    const slow = new Promise<void>((resolve) => (release = resolve));
    const made = createHookServer({
      paths,
      loadConfig: (cwd) => (cwd === "/slow" ? slow.then(() => undefined) : Promise.resolve(undefined)),
    });
    open.push(() => made.close());
    const send = (session: string, cwd: string): Promise<unknown> =>
      made.takeEvent(
        { agent: "claude-code" },
        JSON.stringify({ session_id: session, cwd, hook_event_name: "UserPromptSubmit", prompt: "x" }),
      );
    const waiting = send("a", "/slow");
    await send("b", "/p");
    expect(made.sessions().map(({ session }) => session)).toEqual(["b"]);
    release();
    await waiting;
    expect(made.sessions()).toHaveLength(2);
  });

  it("sets sessions aside when there is no room, and continues them from their logs", async () => {
    const paths = folder();
    const onError = (problem: unknown): never => expect.fail(String(problem));
    const made = createHookServer({ paths, maxSessions: 64, onError });
    open.push(() => made.close());
    const send = async (session: number, payload: object): Promise<string> => {
      const about = { agent: "claude-code", at: Date.now() };
      const { text } = await made.takeEvent(
        about,
        JSON.stringify({ session_id: `s${String(session)}`, cwd: "/p", ...payload }),
      );
      return text;
    };
    const SESSIONS = 80;
    for (let session = 0; session < SESSIONS; session += 1)
      await send(session, { hook_event_name: "UserPromptSubmit", prompt: `Fix ${String(session)}.` });
    expect(made.sessions().length).toBeLessThan(SESSIONS);
    const call = { tool_name: "Edit", tool_input: input, tool_use_id: "t" };
    for (let session = 0; session < SESSIONS; session += 1) {
      await send(session, { hook_event_name: "PreToolUse", ...call });
      await send(session, { hook_event_name: "PostToolUse", ...call, tool_response: {} });
    }
    for (let session = 0; session < SESSIONS; session += 1)
      expect(await send(session, { hook_event_name: "Stop", last_assistant_message: "Done." })).toContain(
        "Run the tests",
      );
    expect(readdirSync(paths.runs).filter((name) => name.startsWith("claude-code-"))).toHaveLength(SESSIONS);
  });
});
