import { buildProgram } from "@phasekit/tooling/built-program";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type ComparisonReport, defineComparison } from "./comparison.ts";
import { median } from "./measure.ts";
import { NO_RECORDED_RUNS, trajectoryFolder } from "./recorded-runs.ts";

const ROUNDS = 3;
const PASSES = 4;
/** Passes over the same files between which the code is warm: the cost of each part of a large folder of logs. */
const WARM = [8, 24] as const;

/** Reads every file below the folders and parses it, whole or line by line. */
const BASELINE = `
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
for (const root of process.argv.slice(1)) for (const name of readdirSync(root, { recursive: true })) {
  const path = join(root, name);
  if (!statSync(path).isFile()) continue;
  const text = readFileSync(path, "utf8");
  try { JSON.parse(text); } catch { for (const line of text.split("\\n")) try { JSON.parse(line); } catch {} }
}`;

/** Makes a process print its usage when it ends. Processor time hardly depends on other programs of the machine. */
const REPORT = `data:text/javascript,${encodeURIComponent('process.on("exit", () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); process.stderr.write("\\n" + JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: maxRSS / 1024 }) + "\\n"); });')}`;

/** The resources a process used. */
interface Usage {
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** Both programs over the same files. */
interface Pair {
  readonly read: Usage;
  readonly simulate: Usage;
}

/**
 * `phasekit simulate` over all recorded runs, as one command, against a program that reads and parses the same bytes.
 */
export const cliSimulate = defineComparison({
  title: "phasekit simulate over the recorded runs, coding preset",
  baseline: "a Node program that reads the same files and JSON.parses them (processor time)",
  rows: {
    whole: { what: "the whole command, with the start of the process", unit: "×", target: 11 },
    further: { what: "each further pass over the same files", unit: "×", target: 8 },
    memory: { what: `peak memory with ${String(PASSES)} times the logs, of that with one`, unit: "×", target: 2 },
    warm: {
      what: `each further pass, from the ${String(WARM[0])}th to the ${String(WARM[1])}th`,
      unit: "×",
      target: 8,
    },
  },
  missing: () => (trajectoryFolder() === undefined ? NO_RECORDED_RUNS : undefined),
  measure: async (report) => {
    const { now, row } = report;
    now(`${String(PASSES)} passes`);
    const rounds: { readonly one: Pair; readonly more: Pair }[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push({
        one: await measurePair(1, report, { done: 2 * round, of: 2 * ROUNDS }),
        more: await measurePair(PASSES, report, { done: 2 * round + 1, of: 2 * ROUNDS }),
      });
    const middle = (value: (round: (typeof rounds)[number]) => number): number => median(rounds.map(value));
    row(
      "whole",
      middle(({ one }) => one.simulate.cpuMs / one.read.cpuMs),
    );
    row(
      "further",
      middle(({ one, more }) => costOfPasses(one, more)),
    );
    row(
      "memory",
      middle(({ one, more }) => more.simulate.peakMb / one.simulate.peakMb),
    );
    now(`${String(WARM[1])} passes`);
    const few = await measurePair(WARM[0], report, { done: 0, of: 2 });
    row("warm", costOfPasses(few, await measurePair(WARM[1], report, { done: 1, of: 2 })));
    const peak = middle(({ more }) => more.simulate.peakMb);
    return [
      `Peak memory: ${peak.toFixed(0)} MB with ${String(PASSES)} times the logs.`,
      "The runs are read, translated, interpreted and decided; only a row of each is kept.",
    ];
  },
});

/** The cost of the passes that `more` has in addition to `few`. */
function costOfPasses(few: Pair, more: Pair): number {
  return (more.simulate.cpuMs - few.simulate.cpuMs) / (more.read.cpuMs - few.read.cpuMs);
}

async function measurePair(
  passes: number,
  { pause, signal }: Pick<ComparisonReport, "pause" | "signal">,
  { done, of }: { readonly done: number; readonly of: number },
): Promise<Pair> {
  await pause(done, of);
  const { file } = buildProgram();
  const folder = trajectoryFolder() ?? "";
  const folders = Array.from({ length: passes }, () => folder);
  const read = await usageOf(["--input-type=module", "--eval", BASELINE, ...folders], signal);
  return { read, simulate: await usageOf([file, "simulate", ...folders, "--json"], signal) };
}

const run = promisify(execFile);

async function usageOf(args: readonly string[], signal: AbortSignal): Promise<Usage> {
  const { env } = buildProgram();
  const options = { encoding: "utf8", maxBuffer: 256 * 1024 * 1024, signal, env } as const;
  const { stderr } = await run(process.execPath, ["--import", REPORT, ...args], options);
  return JSON.parse(stderr.trim().split("\n").at(-1) ?? "") as Usage;
}
