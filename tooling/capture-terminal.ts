import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./workspace.ts";

/**
 * Runs every command of `phasekit` in a real terminal (tmux) at 40, 80 and 140 columns and writes the screens to files:
 * `npx --yes pnpm@12 captures [folder] [name]`. For people to look at: broken wrapping, cut words, crooked columns.
 */
const [folder = "captures", only] = process.argv.slice(2);
const out = resolve(folder);
const place = mkdtempSync(join(tmpdir(), "phasekit-captures-"));
const home = join(place, "home");
const project = join(home, "project");
let started = 0;

/** A command line, and the keys that end it if it does not end by itself. */
interface Capture {
  readonly name: string;
  readonly line: string;
  readonly keys?: readonly string[];
}

const lines: Readonly<Record<string, string>> = {
  short: "phasekit",
  "help-all": "phasekit help --all",
  "help-why": "phasekit help why",
  "help-init": "phasekit help init",
  why: "phasekit why --latest",
  "why-loop": "phasekit why demo-loop",
  runs: "phasekit runs",
  "runs-by-project": "phasekit runs --by project",
  "runs-by-day": "phasekit runs --by day",
  "runs-by-end": "phasekit runs --by end --unverified",
  "watch-once": "phasekit watch --once",
  simulate: "phasekit simulate",
  "simulate-compare": "phasekit simulate --policy none --compare coding",
  check: "phasekit check demo-good",
  "check-fails": "phasekit check demo-loop --max-turns 3",
  tail: "phasekit tail demo-good --no-follow",
  diff: "phasekit diff demo-good demo-loop --calls",
  "contracts-new": "phasekit contracts new research --dry-run",
  "contracts-check": "phasekit contracts check",
  explain: "phasekit explain",
  "explain-reason": "phasekit explain done_unverified",
  "explain-gate": "phasekit explain tests-fresh",
  "explain-error": "phasekit explain NO_LOGS",
  export: "phasekit export demo-good --atif --out run.json",
  report: "phasekit report demo-good",
  "report-folder": "phasekit report .phasekit/runs",
  "db-status": "phasekit db status",
  worker: "phasekit worker",
  trust: "phasekit trust --list",
  untrust: "phasekit untrust --all",
  init: "phasekit init --dry-run",
  "init-claude": "phasekit init claude-code --dry-run",
  statusline: "phasekit statusline",
  waive: "phasekit waive tests-fresh --reason docs",
  doctor: "phasekit doctor",
  cache: "phasekit cache",
  completion: "phasekit completion bash | head -5",
  "demo-fast": "phasekit demo fake-done --fast",
  "no-such-run": "phasekit why nope",
  "bad-command": "phasekit wathc",
  "bad-flag": "phasekit runs --limt 3",
};

const captures: readonly Capture[] = [
  ...Object.entries(lines).map(([name, line]) => ({ name, line })),
  { name: "watch", line: "phasekit watch", keys: ["q"] },
  { name: "why-asks", line: "phasekit why", keys: ["Escape"] },
  { name: "pick", line: "phasekit pick", keys: ["Escape"] },
  { name: "ui", line: "phasekit ui", keys: ["C-c"] },
  { name: "demo", line: "phasekit demo loop", keys: ["C-c"] },
];

try {
  prepare();
  mkdirSync(out, { recursive: true });
  for (const columns of [40, 80, 140])
    for (const capture of captures) {
      if (only !== undefined && capture.name !== only) continue;
      const text = await captureLine(capture, columns);
      writeFileSync(join(out, `${capture.name}-${String(columns)}.txt`), text);
    }
  console.log(`Wrote ${String(captures.length)} commands at 40, 80 and 140 columns to ${folder}.`);
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** A home with sessions of agents that ended just now, and runs of the demo. */
function prepare(): void {
  mkdirSync(join(project, ".git"), { recursive: true });
  const shim = join(place, "bin/phasekit");
  write(shim, `#!/bin/sh\nexec ${process.execPath} ${join(root, "packages/cli/dist/bin.js")} "$@"\n`, 0o755);
  const logs = {
    "claude-code": ".claude/projects/-home-user-project/6f3b4b02-b5c4-4af6-bd6f-38dd07751966.jsonl",
    codex: ".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-019ed836-b1da-78f1-8a0c-e598363d10f4.jsonl",
    "gemini-cli": ".gemini/tmp/project/chats/session-2026-01-01T00-00-abcdef12.jsonl",
  };
  for (const [agent, path] of Object.entries(logs)) {
    const recorded = join(root, `packages/cli/test/__fixtures__/sessions/${agent}.json`);
    const { log } = JSON.parse(readFileSync(recorded, "utf8")) as { readonly log: string };
    write(join(home, path), withTimes(log.replaceAll("/home/user/project", project)));
  }
  for (const story of ["good", "loop"])
    execFileSync(shim, ["demo", story, "--store", ".phasekit/runs"], {
      cwd: project,
      env: { HOME: home, PATH: process.env["PATH"] },
    });
}

/** Moves the times of a log so that its last record is of now. */
function withTimes(log: string): string {
  const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g;
  const last = Math.max(...[...log.matchAll(TIME)].map(([time]) => Date.parse(time)));
  return log.replaceAll(TIME, (time) => new Date(Date.parse(time) - last + Date.now() - 30_000).toISOString());
}

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

/** Runs a command line in a new terminal and returns its screen, with what scrolled out of it. */
async function captureLine({ line, keys = [] }: Capture, columns: number): Promise<string> {
  started += 1;
  const server = `phasekit-captures-${String(process.pid)}-${String(started)}`;
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-L", server, ...args], { encoding: "utf8" });
  const start = [
    `HOME=${home}`,
    `PATH=${join(place, "bin")}:${process.env["PATH"] ?? ""}`,
    "PS1=",
    "NO_COLOR=1",
    "CI=",
  ];
  const done = join(place, "done");
  rmSync(done, { force: true });
  const size = ["-x", String(columns), "-y", "40"];
  const script = `cd ${project}; env -u COLUMNS ${line}; echo "[exit $?]"; touch ${done}; sleep 60`;
  tmux("-f", "/dev/null", "new-session", "-d", ...size, "env", ...start, "sh", "-c", script);
  try {
    const isDone = (): boolean => {
      try {
        readFileSync(done);
        return true;
      } catch {
        return false;
      }
    };
    // A command that waits for keys is captured once it has drawn itself.
    const until = Date.now() + (keys.length > 0 ? 6000 : 60_000);
    while (!isDone() && Date.now() < until) await sleep(100);
    const text = tmux("capture-pane", "-p", "-S", "-");
    for (const key of keys) tmux("send-keys", key);
    return `$ ${line}\n${text.trimEnd()}\n`;
  } finally {
    // The keys may have ended the shell, and its terminal with it.
    spawnSync("tmux", ["-L", server, "kill-server"]);
  }
}
