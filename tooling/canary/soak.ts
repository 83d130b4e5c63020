import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exitInterrupted, runWithProgress } from "../run-with-progress.ts";

/*
 * Sends hook events through the real hook command, as agents do, while the server is killed, its log damaged and
 * events repeated. Prints how long events took and whether anything but an answer or nothing came back.
 *
 *   node tooling/canary/soak.ts [events]
 */
const count = Number(process.argv[2] ?? 500);
const root = mkdtempSync(join(tmpdir(), "pk-soak-"));
mkdirSync(join(root, "installs"));
cpSync(join(import.meta.dirname, "../../packages/cli/dist/standalone"), join(root, "bin"), { recursive: true });
writeFileSync(join(root, "hooks.json"), JSON.stringify({ modes: { "claude-code": "gate", codex: "gate" } }));

const times: number[] = [];
const starts: number[] = [];
const problems: string[] = [];
/** Sessions that were vetoed and have done nothing since. */
const held = new Set<string>();
let vetoes = 0;
let kills = 0;
let damaged = 0;
let state = 12_345;
const next = (below: number): number => {
  state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
  return (state >>> 4) % below;
};

const isInterrupted = await runWithProgress({ total: count, unit: "events" }, async (progress) => {
  progress.now("send events");
  for (let index = 0; index < count; index += 1) {
    await progress.pause(index, count);
    await sendNext(index);
    progress.count();
  }
});
await report();
if (isInterrupted) exitInterrupted();

/** Sends the next event, sometimes after the server was killed. */
async function sendNext(index: number): Promise<void> {
  if (next(40) === 0) {
    killServer();
    if (next(3) === 0) damageLogs();
  }
  const session = `s${String(next(4))}`;
  const call = {
    tool_name: "Edit",
    tool_input: { file_path: "/p/a.ts", new_string: String(index) },
    tool_use_id: `t${String(next(9))}`,
  };
  const payload = [
    { hook_event_name: "UserPromptSubmit", prompt: "Fix it." },
    { hook_event_name: "PreToolUse", ...call },
    { hook_event_name: "PostToolUse", ...call, tool_response: {} },
    { hook_event_name: "PostToolBatch", tool_calls: [] },
    { hook_event_name: "Stop", stop_hook_active: next(2) === 0, last_assistant_message: "Done." },
  ][next(5)];
  const isVetoed = await send(JSON.stringify({ session_id: session, cwd: "/p", ...payload }));
  const isWork = payload?.hook_event_name === "UserPromptSubmit" || payload?.hook_event_name === "PostToolUse";
  if (isVetoed && held.has(session)) problems.push(`${session} was vetoed twice without anything done between`);
  if (isVetoed) held.add(session);
  else if (isWork) held.delete(session);
}

async function report(): Promise<void> {
  killServer();
  times.sort((a, b) => a - b);
  const at = (share: number): string => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(0)} ms`;
  const bare = await bareNode();
  const sent = times.length + starts.length;
  console.log(
    `${String(sent)} events, ${String(kills)} kills, logs damaged ${String(damaged)} times, ${String(vetoes)} vetoes`,
  );
  console.log(
    `per event: median ${at(0.5)}, p95 ${at(0.95)}, worst ${at(0.999999)}; bare node: median ${bare.toFixed(0)} ms`,
  );
  console.log(`worst event that started a server: ${Math.max(0, ...starts).toFixed(0)} ms`);
  for (const problem of problems) console.log(`FAIL ${problem}`);
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function killServer(): void {
  const lock = join(root, "hooks.lock");
  if (!existsSync(lock)) return;
  try {
    const { pid } = JSON.parse(readFileSync(lock, "utf8")) as { readonly pid: number };
    process.kill(pid, "SIGKILL");
    kills += 1;
  } catch {
    // It is gone.
  }
}

/** Runs Node. A process that Ctrl-C ends counts as one that ended well. */
function run(
  args: readonly string[],
  input: string,
): Promise<{ readonly ms: number; readonly output: string; readonly code: number | null }> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env: {} });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
    child.on("close", (code, signal) => {
      resolve({ ms: performance.now() - startedAt, output, code: signal === "SIGINT" ? 0 : code });
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

/** Makes every log unreadable. */
function damageLogs(): void {
  const runs = join(root, "runs");
  if (!existsSync(runs)) return;
  damaged += 1;
  for (const name of readdirSync(runs, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".jsonl")) writeFileSync(join(runs, name), "not a log\n");
}

/** Sends one event; true if the answer is a veto. */
async function send(payload: string): Promise<boolean> {
  const isStart = !existsSync(join(root, "hooks.sock"));
  const { ms, output, code } = await run([join(root, "bin", "hook.cjs"), "claude-code"], payload);
  (isStart ? starts : times).push(ms);
  if (code !== 0) problems.push(`exit ${String(code)}`);
  const isVeto = output.includes('"Stop"');
  if (isVeto) vetoes += 1;
  if (ms > 1200) problems.push(`an event took ${ms.toFixed(0)} ms`);
  try {
    if (output !== "") JSON.parse(output);
  } catch {
    problems.push(`it printed ${output.slice(0, 80)}`);
  }
  return isVeto;
}

async function bareNode(): Promise<number> {
  const all: number[] = [];
  for (let index = 0; index < 15; index += 1) all.push((await run(["-e", "0"], "")).ms);
  return all.sort((a, b) => a - b)[7] ?? 0;
}
