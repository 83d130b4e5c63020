import { buildProgram } from "@phasekit/tooling/built-program";
import { exitInterrupted, runWithProgress } from "@phasekit/tooling/run-with-progress";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseArgs, promisify } from "node:util";
import { type ComparisonReport, defineComparison, type MeasuredComparison, type Row } from "../src/comparison.ts";
import { median } from "../src/measure.ts";
import { NO_RECORDED_RUNS, trajectoryFolder } from "../src/recorded-runs.ts";
import { countRows, runComparisons } from "../src/run-comparisons.ts";
import { CCUSAGE, installCcusage } from "./install-ccusage.ts";
import { makeLogs } from "./make-logs.ts";

// `pnpm -C bench cli-logs`: `phasekit runs` and `why` against `ccusage session` over the same 420 logs (40 MB).

const COPIES = 60;
const { file: BIN } = buildProgram();
const execute = promisify(execFile);

/** The time a command took. */
interface Usage {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Number(values.rounds);

const rows = {
  warm: { what: "runs --limit 1000, no log changed", unit: "×", target: 1 },
  "warm, cpu": { what: "  processor time", unit: "×" },
  cold: { what: "runs --limit 1000, every log is read", unit: "×", target: 4 },
  "cold, cpu": { what: "  processor time", unit: "×" },
  why: { what: "why, processor time over the start of Node", unit: "ms", target: 400 },
  whyAgain: { what: "why --no-cache, the same", unit: "ms", target: 400 },
  version: { what: "--version, the same", unit: "ms" },
} as const satisfies Readonly<Record<string, Row>>;

const cliLogs = defineComparison({
  title: "phasekit over 420 logs of Claude Code, 40 MB",
  baseline: `ccusage ${CCUSAGE} session --offline over the same logs (wall time; processor time behind it)`,
  rows,
  missing: () => (trajectoryFolder() === undefined ? NO_RECORDED_RUNS : undefined),
  measure: async (report) => {
    const folder = mkdtempSync(join(tmpdir(), "phasekit-cli-logs-"));
    try {
      return await measureLogs(folder, report);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

const chosen = [{ name: "cli-logs", comparisons: [cliLogs] }];
const measured: MeasuredComparison[] = [];
const isInterrupted = await runWithProgress({ total: countRows(chosen), unit: "rows" }, (progress, signal) =>
  runComparisons(chosen, { progress, measured, signal }),
);
if (measured.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
if (isInterrupted) exitInterrupted();

type Report = ComparisonReport<keyof typeof rows>;

async function measureLogs(folder: string, { now, pause, signal, row }: Report): Promise<readonly string[]> {
  now(`install ccusage ${CCUSAGE}`);
  const ccusage = await installCcusage(folder, signal);
  now("write the logs");
  await pause(0, 1);
  const home = join(folder, "home");
  const { logs, bytes } = makeLogs(home, { from: join(trajectoryFolder() ?? "", "claude-code"), copies: COPIES });
  const run = (...args: readonly string[]): Promise<Usage> => usageOf([process.execPath, ...args], { home, signal });
  const cold = (): Promise<Usage> => {
    rmSync(join(home, ".cache"), { recursive: true, force: true });
    return run(BIN, "runs", "--limit", "1000");
  };
  now("run the commands once");
  // All files are then in memory, and all code is compiled.
  await run(ccusage, "session", "--offline");
  await cold();
  now("compare");
  const measureRound = async () => ({
    node: await run("--eval", "0"),
    ccusage: await run(ccusage, "session", "--offline"),
    cold: await cold(),
    warm: await run(BIN, "runs", "--limit", "1000"),
    why: await run(BIN, "why"),
    whyAgain: await run(BIN, "why", "--no-cache"),
    version: await run(BIN, "--version"),
  });
  const all: Awaited<ReturnType<typeof measureRound>>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await pause(round, rounds);
    all.push(await measureRound());
  }
  const middle = (value: (round: (typeof all)[number]) => number): number => median(all.map(value));
  for (const name of ["warm", "cold"] as const) {
    row(
      name,
      middle((round) => round[name].wallMs / round.ccusage.wallMs),
    );
    row(
      `${name}, cpu`,
      middle((round) => round[name].cpuMs / round.ccusage.cpuMs),
    );
  }
  for (const name of ["why", "whyAgain", "version"] as const)
    row(
      name,
      middle((round) => round[name].cpuMs - round.node.cpuMs),
    );
  const [wall, cpu] = [middle((round) => round.ccusage.wallMs), middle((round) => round.ccusage.cpuMs)];
  return [
    `${String(logs)} logs, ${(bytes / 1e6).toFixed(1)} MB. ccusage took ${wall.toFixed(0)} ms (${cpu.toFixed(0)} ms of processor time), bare Node ${middle((round) => round.node.wallMs).toFixed(0)} ms.`,
  ];
}

/** Runs a program; its times include those of its own child processes. */
async function usageOf(
  command: readonly string[],
  { home, signal }: { readonly home: string; readonly signal: AbortSignal },
): Promise<Usage> {
  const { stderr } = await execute("bash", ["-c", 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null', "bash", ...command], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, COLUMNS: "140", LC_ALL: "C" },
    signal,
  });
  const [wall = NaN, user = NaN, system = NaN] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000 };
}
