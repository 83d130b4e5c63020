import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { exitInterrupted, runWithProgress } from "../run-with-progress.ts";

/*
 * Measures how long the commands take that agents start for every event, and a Node that does nothing, with the local
 * server running. The goal: the median of the installed hook is at most 1.5 times that of a bare Node. The rounds are
 * interleaved, so that a busy machine slows all of them.
 *
 *   node tooling/canary/measure-start.ts [rounds]
 */
const rounds = Number(process.argv[2] ?? 25);
const bin = join(import.meta.dirname, "../../packages/cli/dist/bin.js");
const home = mkdtempSync(join(tmpdir(), "pk-start-"));
const installed = join(home, ".phasekit/bin/hook.cjs");
let calls = 0;

const run = (args: readonly string[], input = ""): number => {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { input, cwd: home, env: { HOME: home } });
  if (status !== 0) throw new Error(`${args.join(" ")} exits with ${String(status)}: ${stderr.toString()}`);
  return performance.now() - startedAt;
};
const event = (): string =>
  JSON.stringify({
    session_id: "s",
    cwd: home,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: `t${String((calls += 1))}`,
    tool_input: { command: `ls ${String(calls)}` },
    tool_response: {},
  });

const cases: Readonly<Record<string, () => number>> = {
  "node -e 0": () => run(["-e", "0"]),
  "the installed hook": () => run([installed, "claude-code"], event()),
  "phasekit hook": () => run([bin, "hook", "claude-code"], event()),
  "the installed status line": () => run([installed, "statusline"], '{"session_id":"s"}'),
  "phasekit statusline": () => run([bin, "statusline"], '{"session_id":"s"}'),
};

run([bin, "init", "claude-code", "--yes"]);
const times = Object.entries(cases).map(([name, measure]) => ({ name, measure, all: [] as number[] }));
const isInterrupted = await runWithProgress({ total: rounds, unit: "rounds" }, async (progress) => {
  try {
    run([bin, "hook", "claude-code"], event());
    progress.now("start the commands in turn");
    for (let round = 0; round < rounds; round += 1) {
      await progress.pause(round, rounds);
      for (const { measure, all } of times) all.push(measure());
      progress.count();
    }
  } finally {
    run([bin, "init", "claude-code", "--uninstall", "--yes"]);
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
});
const at = (all: readonly number[], share: number): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length * share)] ?? 0;
const bare = at(times[0]?.all ?? [], 0.5);
for (const { name, all } of times) {
  const p50 = at(all, 0.5);
  const figures = [
    `p50 ${p50.toFixed(1)} ms`,
    `p99 ${at(all, 0.99).toFixed(1)} ms`,
    `${(p50 / bare).toFixed(2)} × bare node`,
  ];
  console.log(`${name}: ${figures.join(", ")}`);
}
const load = loadavg().map((value) => value.toFixed(1));
console.log(`${String(rounds)} rounds, load average ${load.join(", ")}`);
if (isInterrupted) exitInterrupted();
