import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NextNumber, numbersFrom, seedsOf } from "@phasekit/tooling/random-cases";
import { afterAll, describe, expect, it } from "vitest";
import { hookPaths } from "../client/hook-paths.ts";
import { createHookServer, type HookServer } from "./hook-server.ts";

const root = mkdtempSync(join(tmpdir(), "pk-restarts-"));
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

function anyPayload(next: NextNumber, index: number): object {
  const call = {
    tool_name: "Edit",
    tool_input: { file_path: "/p/a.ts", old_string: "a", new_string: String(index) },
    tool_use_id: `t${String(next(4))}`,
  };
  return (
    [
      { hook_event_name: "UserPromptSubmit", prompt: `Fix ${String(index)}.` },
      { hook_event_name: "PreToolUse", ...call },
      { hook_event_name: "PostToolUse", ...call, tool_response: {} },
      { hook_event_name: "PostToolBatch", tool_calls: [] },
      { hook_event_name: "Stop", stop_hook_active: next(2) === 0, last_assistant_message: `Done ${String(index)}.` },
      { hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." },
      { hook_event_name: "SessionEnd", reason: "other" },
      { hook_event_name: "Unheard", of: index },
    ][next(next(6) === 0 ? 8 : 6)] ?? {}
  );
}

function damage(runs: string): void {
  if (!existsSync(runs)) return;
  for (const name of readdirSync(runs, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".jsonl")) writeFileSync(join(runs, name), "not a log\n");
}

const seeds = seedsOf({ quick: 12, full: 60, long: 10_000 });
const EVENTS = 24;

describe("a server that is restarted at random, with logs that are damaged at random", () => {
  it(`never vetoes twice without anything done between, in ${String(seeds.length)} sequences`, async () => {
    let vetoes = 0;
    let restarts = 0;
    let slowest = 0;
    for (const seed of seeds) {
      const next = numbersFrom(seed);
      let paths = hookPaths(join(root, String(seed)));
      const killed: HookServer[] = [];
      let now = 0;
      const open = (): HookServer => createHookServer({ paths, clock: () => now });
      let server = open();
      writeFileSync(paths.config, JSON.stringify({ modes: { "claude-code": "gate" } }));
      let isHeld = false;
      for (let index = 0; index < EVENTS; index += 1) {
        if (next(8) === 0) {
          // A killed server closes nothing; a copy of its files is what its successor finds.
          if (next(2) === 0) await server.close();
          else {
            killed.push(server);
            cpSync(paths.root, join(root, `${String(seed)}.${String(killed.length)}`), { recursive: true });
            paths = hookPaths(join(root, `${String(seed)}.${String(killed.length)}`));
          }
          if (next(3) === 0) damage(paths.runs);
          server = open();
          restarts += 1;
        }
        const payload = { session_id: "s", cwd: "/p", ...anyPayload(next, index) };
        now += 2000;
        const startedAt = performance.now();
        const { text: reply } = await server.takeEvent({ agent: "claude-code", at: now }, JSON.stringify(payload));
        slowest = Math.max(slowest, performance.now() - startedAt);
        const { hook_event_name: name = "" } = payload as { readonly hook_event_name?: string };
        if (name === "UserPromptSubmit" || name === "PostToolUse") isHeld = false;
        if (name === "Stop" && reply !== "") {
          if (isHeld) expect.fail(`seed ${String(seed)}: vetoed twice in a row at event ${String(index)}`);
          isHeld = true;
          vetoes += 1;
        }
      }
      for (const one of [server, ...killed]) await one.close();
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
    }
    // The sequences are worth something only if they reach the gate, across restarts.
    expect(vetoes).toBeGreaterThan(seeds.length / 4);
    expect(restarts).toBeGreaterThan(seeds.length);
    if (seeds.length > 60)
      console.log(`${String(vetoes)} vetoes, ${String(restarts)} restarts, slowest event ${slowest.toFixed(0)} ms`);
  }, 3_600_000);
});
