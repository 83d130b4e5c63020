import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "../src/measure.ts";
import { trajectoryFolder } from "../src/recorded-runs.ts";
import { renderStories, type Result, type Story } from "../src/comparison.ts";
import { makeLogs } from "./make-logs.ts";

// `pnpm -C bench cli-logs`: `phasekit runs` and `why` against `ccusage session` over the same 420 logs (40 MB).

const CCUSAGE = "20.0.24";
const COPIES = 60;
const BIN = join(dirname(fileURLToPath(import.meta.resolve("phasekit"))), "bin.js");

interface Taken {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
console.log(renderStories([cliLogs(Number(values.rounds))]));

function cliLogs(rounds: number): Story {
  const title = "phasekit over 420 logs of Claude Code, 40 MB";
  const baseline = `ccusage ${CCUSAGE} session --offline over the same logs (wall time; processor time behind it)`;
  const from = trajectoryFolder();
  const none = (note: string): Story => ({ title, baseline, results: [], notes: [note] });
  if (from === undefined)
    return none("No recorded runs found: set PHASEKIT_DATA to the folder that holds `trajectories`.");
  const folder = mkdtempSync(join(tmpdir(), "phasekit-cli-logs-"));
  try {
    const ccusage = installCcusage(folder);
    if (ccusage === undefined) return none(`ccusage ${CCUSAGE} could not be installed from npm.`);
    const home = join(folder, "home");
    const { logs, bytes } = makeLogs(home, { from: join(from, "claude-code"), copies: COPIES });
    const run = (...args: readonly string[]): Taken => take([process.execPath, ...args], home);
    const cold = (): Taken => {
      rmSync(join(home, ".cache"), { recursive: true, force: true });
      return run(BIN, "runs", "--limit", "1000");
    };
    // Once before, so that all files are in memory and all code is compiled.
    run(ccusage, "session", "--offline");
    cold();
    const all = Array.from({ length: rounds }, () => ({
      node: run("--eval", "0"),
      ccusage: run(ccusage, "session", "--offline"),
      cold: cold(),
      warm: run(BIN, "runs", "--limit", "1000"),
      why: run(BIN, "why"),
      whyAgain: run(BIN, "why", "--no-cache"),
      version: run(BIN, "--version"),
    }));
    const middle = (value: (round: (typeof all)[number]) => number): number => median(all.map(value));
    const ratio = (what: string, name: "cold" | "warm", target: number): readonly Result[] => [
      { what, value: middle((round) => round[name].wallMs / round.ccusage.wallMs), unit: "×", target },
      { what: "  processor time", value: middle((round) => round[name].cpuMs / round.ccusage.cpuMs), unit: "×" },
    ];
    const over = (what: string, name: "why" | "whyAgain" | "version", target?: number): Result => ({
      what,
      value: middle((round) => round[name].cpuMs - round.node.cpuMs),
      unit: "ms",
      ...(target !== undefined && { target }),
    });
    return {
      title,
      baseline,
      results: [
        ...ratio("runs --limit 1000, no log changed", "warm", 1),
        ...ratio("runs --limit 1000, every log is read", "cold", 4),
        over("why, processor time over the start of Node", "why", 400),
        over("why --no-cache, the same", "whyAgain", 400),
        over("--version, the same", "version"),
      ],
      notes: [
        `${String(logs)} logs, ${(bytes / 1e6).toFixed(1)} MB. ccusage took ${middle((r) => r.ccusage.wallMs).toFixed(0)} ms (${middle((r) => r.ccusage.cpuMs).toFixed(0)} ms of processor time), bare Node ${middle((r) => r.node.wallMs).toFixed(0)} ms.`,
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs ccusage into a folder; returns its program. */
function installCcusage(folder: string): string | undefined {
  writeFileSync(join(folder, "package.json"), "{}");
  spawnSync("npm", ["install", "--no-audit", "--no-fund", "--silent", `ccusage@${CCUSAGE}`], { cwd: folder });
  const program = join(folder, "node_modules/ccusage/src/cli.js");
  return existsSync(program) ? program : undefined;
}

/** Runs a program; its times include those of its own child processes. */
function take(command: readonly string[], home: string): Taken {
  const { stderr, status } = spawnSync(
    "bash",
    ["-c", 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null', "bash", ...command],
    { cwd: home, env: { PATH: process.env["PATH"], HOME: home, COLUMNS: "140", LC_ALL: "C" }, encoding: "utf8" },
  );
  const [wall = NaN, user = NaN, system = NaN] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  if (status !== 0) throw new Error(`${command.join(" ")} ended with ${String(status)}: ${stderr}`);
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000 };
}
