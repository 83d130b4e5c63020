import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./measure.ts";
import { trajectoryFolder } from "./recorded-runs.ts";
import type { Result, Story } from "./comparison.ts";

const ROUNDS = 3;
const PASSES = 4;
/** Passes over the same files between which the code is warm: what a large folder of logs takes for each part of it. */
const WARM = [8, 24] as const;
const BIN = join(dirname(fileURLToPath(import.meta.resolve("phasekit"))), "bin.js");

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

/** What a process took, told by itself when it ends: processor time does not grow with what else the machine does. */
const REPORT = `data:text/javascript,${encodeURIComponent('process.on("exit", () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); process.stderr.write("\\n" + JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: maxRSS / 1024 }) + "\\n"); });')}`;

interface Taken {
  readonly cpuMs: number;
  readonly peakMb: number;
}

interface Pair {
  readonly read: Taken;
  readonly simulate: Taken;
}

/**
 * `phasekit simulate` over all recorded runs, as one command, against a program that reads and parses the same bytes.
 */
export function cliSimulate(): Story {
  const title = "phasekit simulate over the recorded runs, coding preset";
  const baseline = "a Node program that reads the same files and JSON.parses them (processor time)";
  const folder = trajectoryFolder();
  if (folder === undefined)
    return {
      title,
      baseline,
      results: [],
      notes: ["No recorded runs found: set PHASEKIT_DATA to the folder that holds `trajectories`."],
    };
  const folders = (passes: number): readonly string[] => Array.from({ length: passes }, () => folder);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    read: take(["--input-type=module", "--eval", BASELINE, ...folders(1)]),
    simulate: take([BIN, "simulate", ...folders(1), "--json"]),
    readMore: take(["--input-type=module", "--eval", BASELINE, ...folders(PASSES)]),
    simulateMore: take([BIN, "simulate", ...folders(PASSES), "--json"]),
  }));
  const [few, many] = WARM.map((passes) => ({
    read: take(["--input-type=module", "--eval", BASELINE, ...folders(passes)]),
    simulate: take([BIN, "simulate", ...folders(passes), "--json"]),
  })) as [Pair, Pair];
  const middle = (value: (round: (typeof rounds)[number]) => number): number => median(rounds.map(value));
  const results: readonly Result[] = [
    {
      what: "the whole command, with the start of the process",
      value: middle(({ simulate, read }) => simulate.cpuMs / read.cpuMs),
      unit: "×",
      target: 4,
    },
    {
      what: "each further pass over the same files",
      value: middle(
        ({ simulate, read, simulateMore, readMore }) =>
          (simulateMore.cpuMs - simulate.cpuMs) / (readMore.cpuMs - read.cpuMs),
      ),
      unit: "×",
      target: 4,
    },
    {
      what: `each further pass, from the ${String(WARM[0])}th to the ${String(WARM[1])}th`,
      value: (many.simulate.cpuMs - few.simulate.cpuMs) / (many.read.cpuMs - few.read.cpuMs),
      unit: "×",
      target: 4,
    },
    {
      what: `peak memory with ${String(PASSES)} times the logs, of that with one`,
      value: middle(({ simulate, simulateMore }) => simulateMore.peakMb / simulate.peakMb),
      unit: "×",
      target: 2,
    },
  ];
  const peak = middle(({ simulateMore }) => simulateMore.peakMb);
  return {
    title,
    baseline,
    results,
    notes: [
      `Peak memory: ${peak.toFixed(0)} MB with ${String(PASSES)} times the logs. The runs are read, translated, interpreted and decided; nothing of them is kept but a row each.`,
    ],
  };
}

function take(args: readonly string[]): Taken {
  const { stderr, status } = spawnSync(process.execPath, ["--import", REPORT, ...args], {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`ended with ${String(status)}: ${stderr}`);
  return JSON.parse(stderr.trim().split("\n").at(-1) ?? "") as Taken;
}
