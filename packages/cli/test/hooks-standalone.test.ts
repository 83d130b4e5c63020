import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bundleStandalone, standaloneNames } from "../standalone-programs.ts";

const folders: string[] = [];
afterEach(() => {
  for (const root of folders.splice(0)) {
    stopServer(root);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** A machine on which Phasekit is installed: the two files and a mode. */
function installed(): string {
  const root = mkdtempSync(join(tmpdir(), "pk-standalone-"));
  folders.push(root);
  mkdirSync(join(root, "installs"));
  mkdirSync(join(root, "bin"));
  for (const name of standaloneNames) writeFileSync(join(root, "bin", name), bundleStandalone(name));
  writeFileSync(join(root, "hooks.json"), JSON.stringify({ modes: { "claude-code": "gate" } }));
  return root;
}

function serverOf(root: string): number {
  return (JSON.parse(readFileSync(join(root, "hooks.lock"), "utf8")) as { readonly pid: number }).pid;
}

function stopServer(root: string): void {
  if (!existsSync(join(root, "hooks.lock"))) return;
  try {
    process.kill(serverOf(root), "SIGKILL");
  } catch {
    // It is gone.
  }
}

function hook(root: string, payload: object): Promise<{ readonly output: string; readonly code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "bin", "hook.cjs"), "claude-code"], { env: {} });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
    child.on("error", reject);
    child.on("close", (code) => resolve({ output, code }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify({ session_id: "s", cwd: "/p", ...payload }));
  });
}

const input = { file_path: "/p/a.ts", old_string: "a", new_string: "b" };
const prompt = { hook_event_name: "UserPromptSubmit", prompt: "Fix it." };
const asked = { hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: input, tool_use_id: "t" };
const edited = { ...asked, hook_event_name: "PostToolUse", tool_response: {} };
const stop = { hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." };

describe("the files an agent starts", () => {
  it("hold a finish back across a server that is killed twice, with events that found none", async () => {
    const root = installed();
    for (const payload of [prompt, asked]) expect(await hook(root, payload)).toEqual({ output: "", code: 0 });
    stopServer(root);
    // A busy machine may take longer than a hook waits; then the event is in the spool.
    expect((await hook(root, edited)).code).toBe(0);
    stopServer(root);
    let answer = "";
    for (let tries = 0; tries < 5 && answer === ""; tries += 1)
      answer = (await hook(root, { ...stop, session_id: "s" })).output;
    const folder = join(root, "runs", "claude-code-s", "log");
    const log = readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("");
    expect(log.split('"type":"tool.finished"')).toHaveLength(2);
    expect(log.split('"type":"run.started"')).toHaveLength(2);
    expect(log).toContain('"type":"finish.vetoed"');
  });

  it("exit with 0 and print nothing, whatever they are given", async () => {
    const root = installed();
    rmSync(join(root, "bin", "server.mjs"));
    for (const payload of [prompt, stop, { session_id: 7 }, {}])
      expect(await hook(root, payload)).toEqual({ output: "", code: 0 });
  });

  it("bring a server back that was killed, and get its answer to the same event", async () => {
    const root = installed();
    await hook(root, prompt);
    const protectedFile = { ...asked, tool_input: { ...input, file_path: "/home/u/.phasekit/hooks.json" } };
    let answer = "";
    for (let tries = 0; tries < 5 && answer === ""; tries += 1) {
      stopServer(root);
      answer = (await hook(root, { ...protectedFile, tool_use_id: `t${String(tries)}` })).output;
    }
    expect(JSON.parse(answer)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });

  it("say in hooks.log why the server does not run", async () => {
    const root = installed();
    chmodSync(root, 0o777);
    const server = spawn(process.execPath, [join(root, "bin", "server.mjs")], { stdio: "ignore", env: {} });
    expect(await new Promise((resolve) => server.once("exit", resolve))).toBe(1);
    expect(readFileSync(join(root, "hooks.log"), "utf8")).toContain("every user can write to it");
    expect(await hook(root, prompt)).toEqual({ output: "", code: 0 });
    expect(existsSync(join(root, "spool.jsonl"))).toBe(false);
  });

  it.each([
    ["a server that is stopped", "SIGSTOP"],
    ["a server that was killed", "SIGKILL"],
  ] as const)("replace %s", async (_what, signal) => {
    const root = installed();
    await hook(root, prompt);
    // On a busy machine the server may start after its hook has left.
    const before = await vi.waitFor(() => serverOf(root), { timeout: 10_000 });
    process.kill(before, signal);
    await vi.waitFor(
      async () => {
        await hook(root, { ...asked, tool_use_id: `t${String(performance.now())}` });
        expect(serverOf(root)).not.toBe(before);
      },
      { timeout: 20_000 },
    );
  });
});
