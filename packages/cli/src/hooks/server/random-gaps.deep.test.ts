import { blindSpan } from "@phasekit/core/adapter";
import { readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { type NextNumber, numbersFrom, seedsOf } from "@phasekit/tooling/random-cases";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hookPaths } from "../client/hook-paths.ts";
import { createHookServer } from "./hook-server.ts";

const root = mkdtempSync(join(tmpdir(), "pk-gaps-"));
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

interface Hook {
  readonly payload: object;
  /** The lines that Claude Code writes before it starts the hook. */
  readonly lines: readonly object[];
}

/** A session of Claude Code: its hooks, with what its own log has by then. */
function anySession(next: NextNumber): readonly Hook[] {
  const hooks: Hook[] = [];
  let lines: object[] = [];
  const write = (type: "user" | "assistant", message: object): void => {
    lines.push({ type, sessionId: "s", uuid: `u${String(hooks.length)}.${String(lines.length)}`, cwd: "/p", message });
  };
  const hook = (name: string, more: object = {}): void => {
    hooks.push({ payload: { hook_event_name: name, ...more }, lines });
    lines = [];
  };
  const answer = (content: object): void => {
    const usage = { input_tokens: 100, output_tokens: 10 };
    write("assistant", { id: `m${String(hooks.length)}`, role: "assistant", model: "m", content: [content], usage });
  };
  hook("SessionStart", { source: "startup" });
  write("user", { role: "user", content: "Fix it." });
  hook("UserPromptSubmit", { prompt: "Fix it." });
  for (let call = 1 + next(8); call > 0; call -= 1) {
    const id = `t${String(call)}`;
    const command = ["npm test", "cat a.ts", "sed -i s/a/b/ a.ts"][next(3)] ?? "";
    const about = { tool_name: "Bash", tool_input: { command }, tool_use_id: id };
    answer({ type: "tool_use", id, name: "Bash", input: { command } });
    hook("PreToolUse", about);
    hook("PostToolUse", { ...about, tool_response: { stdout: "ok", stderr: "" } });
    write("user", { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] });
    hook("PostToolBatch", { tool_calls: [about] });
  }
  answer({ type: "text", text: "Done." });
  hook("Stop", { stop_hook_active: false, last_assistant_message: "Done." });
  return hooks;
}

/** Plays a session to servers that come and go, and returns what the run has. */
async function play(seed: number) {
  const next = numbersFrom(seed);
  const paths = hookPaths(join(root, String(seed)));
  mkdirSync(paths.root, { recursive: true });
  const log = join(paths.root, "log.jsonl");
  // In mode gate a call may be refused, and these calls run all the same.
  writeFileSync(paths.config, JSON.stringify({ modes: { "claude-code": "nudge" } }));
  let now = 1_795_000_000_000;
  const start = (): ReturnType<typeof createHookServer> =>
    createHookServer({ paths, clock: () => now, logLimitMs: 60_000 });
  let server = start();
  let isGone = false;
  let missed = 0;
  const session = anySession(next);
  for (const [index, { payload, lines }] of session.entries()) {
    now += 2000;
    const timestamp = new Date(now).toISOString();
    if (lines.length > 0)
      appendFileSync(log, lines.map((line) => `${JSON.stringify({ ...line, timestamp })}\n`).join(""));
    const sent = { session_id: "s", cwd: "/p", transcript_path: log, ...payload };
    // The first events and the last one arrive: without them nothing tells that anything happened.
    if (next(4) === 0 && index > 1 && index < session.length - 1) {
      if (!isGone) await server.close();
      isGone = true;
      if (next(3) === 0)
        appendFileSync(
          paths.spool,
          `${JSON.stringify({ agent: "claude-code", id: String(index), at: now, payload: sent })}\n`,
        );
      else missed += 1;
      continue;
    }
    if (!isGone && next(6) === 0) {
      await server.close();
      isGone = true;
    }
    if (isGone) server = start();
    isGone = false;
    await server.takeEvent({ agent: "claude-code", id: String(index), at: now }, JSON.stringify(sent));
  }
  await server.close();
  const store = createFileStore(paths.runs);
  const events = await readRun(store, "claude-code-s");
  await store.close();
  rmSync(paths.root, { recursive: true, force: true });
  const calls = session.filter(({ payload }) => "tool_response" in payload).length;
  return { events, calls, missed };
}

const seeds = seedsOf({ quick: 30, full: 300, long: 10_000 });

describe("a server that is away at random", () => {
  it(`has every call and every answer of the agent's own log once, in ${String(seeds.length)} sequences`, async () => {
    let caughtUp = 0;
    for (const seed of seeds) {
      const { events, calls, missed } = await play(seed);
      const finished = events.flatMap((event) => (event.type === "tool.finished" ? [event.call] : []));
      expect({ seed, calls: finished.length }).toEqual({ seed, calls });
      expect({ seed, calls: new Set(finished).size }).toEqual({ seed, calls });
      expect({ seed, answers: events.filter(({ type }) => type === "model.answered").length }).toEqual({
        seed,
        answers: calls + 1,
      });
      const spans = events.flatMap((event) => (blindSpan.is(event) ? [event.data] : []));
      if (missed === 0) expect({ seed, how: spans.filter(({ how }) => how !== "late") }).toEqual({ seed, how: [] });
      if (spans.some(({ how }) => how === "log")) caughtUp += 1;
      expect({ seed, how: spans.filter(({ how }) => how === "lost") }).toEqual({ seed, how: [] });
    }
    // The sequences are worth something only if calls were missed.
    expect(caughtUp).toBeGreaterThan(seeds.length / 10);
  }, 3_600_000);
});
