// Plays recorded agent runs through Phasekit and prints what it does to runs that succeed and to runs that fail.
import type { Progress } from "@phasekit/tooling/progress";
import { exitInterrupted, runWithProgress } from "@phasekit/tooling/run-with-progress";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { drawChart } from "./draw-chart.ts";
import { explainRuns } from "./explain-run.ts";
import type { OkSource } from "./host-view.ts";
import { renderCases } from "./play-cases.ts";
import { playSets } from "./play-sets.ts";
import { findPreset, LEFT_OUT_PRESETS, presetNames } from "./presets.ts";
import { convertLogs } from "./read-logs.ts";
import { findData, listSets, readIds } from "./read-runs.ts";
import type { RunRow } from "./run-row.ts";
import { CODING } from "./sets.ts";
import { beforeChange } from "./tables/before-change.ts";
import { comparePresets } from "./tables/comparison.ts";
import { detectors } from "./tables/detectors.ts";
import { grades } from "./tables/grades.ts";
import { interventions, sessions } from "./tables/interventions.ts";
import { leaveOut } from "./tables/leave-out.ts";
import { phases, repetition } from "./tables/labels.ts";
import { besidePeers, peersBySet } from "./tables/peers.ts";
import { hasContent, renderTable, type Table } from "./tables/table.ts";
import { verdicts } from "./tables/verdicts.ts";
import { verified } from "./tables/verified.ts";
import type { WorkerJob } from "./worker.ts";

const TABLES: Readonly<Record<string, (rows: readonly RunRow[]) => Table>> = {
  interventions,
  sessions,
  besidePeers,
  peersBySet,
  verdicts,
  beforeChange,
  phases,
  repetition,
  verified,
  grades,
  detectors,
};

const USAGE =
  "Usage: pnpm judgement [--data <folder> | --logs <folder> --outcomes <file>] [--sets a,b|coding] [--preset <name>[,<name>]] [--sample n] [--ok given|host] [--leave-out] " +
  "[--json <file>] [--chart <file.svg>] [--workers n] [--ids <file>] | --explain <run id> [--whole] | --cases <file> [--whole]";

const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    logs: { type: "string" },
    outcomes: { type: "string" },
    chart: { type: "string" },
    sets: { type: "string" },
    preset: { type: "string", default: "default" },
    sample: { type: "string" },
    ok: { type: "string", default: "given" },
    json: { type: "string" },
    workers: { type: "string" },
    ids: { type: "string" },
    explain: { type: "string" },
    cases: { type: "string" },
    whole: { type: "boolean", default: false },
    "leave-out": { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const okFrom = options.ok;
  if (!isOkSource(okFrom)) return refuse(`--ok takes "given" or "host", not "${okFrom}".\n${USAGE}`);
  const presets = options["leave-out"] && options.preset === "default" ? LEFT_OUT_PRESETS : options.preset.split(",");
  const unknown = presets.find((name) => findPreset(name) === undefined);
  const preset = findPreset(presets[0] ?? "");
  if (unknown !== undefined || preset === undefined)
    return refuse(`Unknown preset "${unknown ?? ""}". Use one of: ${presetNames.join(", ")}.`);
  if (options.cases !== undefined) {
    console.log(renderCases(options.cases, { preset, whole: options.whole }));
    return 0;
  }
  if ((options.logs === undefined) !== (options.outcomes === undefined))
    return refuse(`--logs and --outcomes go together.\n${USAGE}`);
  const converted = convertedData();
  if (typeof converted === "number") return converted;
  const { folder: data, found } = findData(converted ?? options.data);
  if (!found) {
    console.log(`No recorded runs in ${data}. Nothing was measured.`);
    console.log(
      "Name a folder of <set>.jsonl.gz files with --data <folder> or PHASEKIT_DATA; bench/judgement/README.md has the format.",
    );
    return 0;
  }
  const there = listSets(data);
  const named = options.sets === "coding" ? CODING : options.sets?.split(",");
  const missing = named?.filter((set) => !there.includes(set)) ?? [];
  if (missing.length > 0 && options.sets !== "coding")
    return refuse(`Unknown set: ${missing.join(", ")}. The folder has: ${there.join(", ")}.`);
  const sets = (named ?? there).filter((set) => there.includes(set));
  if (options.explain !== undefined) {
    const { explain: id, whole } = options;
    if (explainRuns({ data, sets, id, preset, okFrom, whole })) return 0;
    return refuse(`No run "${id}" in ${sets.length} sets of ${data}. An id may be written as <set>:<id>.`);
  }
  const chosen = { data, sets, okFrom };
  const isInterrupted = await (presets.length > 1 ? printComparison(chosen, presets) : printTables(chosen));
  if (isInterrupted) exitInterrupted();
  return 0;
}

/** The folder of `--logs` in the neutral form, or an exit code. */
function convertedData(): string | number | undefined {
  const { logs, outcomes } = options;
  if (logs === undefined || outcomes === undefined) return undefined;
  try {
    const { folder, runs, unread } = convertLogs(logs, outcomes);
    console.log(`${runs} runs read from ${logs}; ${unread.length} files are not a log format Phasekit recognizes.`);
    return folder;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function saveChart(played: ReadonlyMap<string, readonly RunRow[]>): void {
  if (options.chart !== undefined) writeFileSync(options.chart, drawChart(played));
}

function refuse(text: string): number {
  console.error(text);
  return 2;
}

function isOkSource(text: string): text is OkSource {
  return text === "given" || text === "host";
}

type Chosen = Pick<WorkerJob, "data" | "sets" | "okFrom">;

/** Plays the same runs with several presets and prints them side by side. */
async function printComparison(chosen: Chosen, presets: readonly string[]): Promise<boolean> {
  const played = new Map<string, readonly RunRow[]>();
  const isInterrupted = await runWithProgress(
    { total: chosen.sets.length * presets.length, unit: "sets" },
    async (progress, signal) => {
      for (const preset of presets) {
        signal.throwIfAborted();
        progress.print(`${played.size === 0 ? "" : "\n"}Preset ${preset}`);
        const { rows } = await playSets(jobOf(chosen, preset), { progress, signal });
        // A preset that was interrupted is not comparable with the others.
        signal.throwIfAborted();
        played.set(preset, usable(rows(), progress));
      }
    },
  );
  if (played.size > 0) console.log(renderTable(options["leave-out"] ? leaveOut(played) : comparePresets(played)));
  saveChart(played);
  return isInterrupted;
}

function jobOf(chosen: Chosen, preset: string): Omit<WorkerJob, "part"> {
  return {
    ...chosen,
    preset,
    parts: Number(options.workers ?? availableParallelism()),
    sample: options.sample === undefined ? undefined : Number(options.sample),
    ids: options.ids === undefined ? undefined : readIds(options.ids),
  };
}

/** Plays runs and prints the tables. After Ctrl-C, the tables are those of the sets that were played completely. */
async function printTables(chosen: Chosen): Promise<boolean> {
  const job = jobOf(chosen, options.preset);
  return await runWithProgress({ total: chosen.sets.length, unit: "sets" }, async (progress, signal) => {
    const began = performance.now();
    const { complete, rows } = await playSets(job, { progress, signal });
    const seconds = Number(((performance.now() - began) / 1000).toFixed(0));
    const all = rows();
    progress.print(describeRuns(job, { runs: all.length, sets: complete().length, seconds }));
    if (all.length === 0) return;
    const played = usable(all, progress);
    const results: [string, Table][] = [];
    for (const [index, [name, make]] of Object.entries(TABLES).entries()) {
      progress.now(`table ${name}`);
      progress.at(index, Object.keys(TABLES).length);
      const table = make(played);
      if (!hasContent(table)) continue;
      results.push([name, table]);
      progress.print(renderTable(table));
    }
    saveChart(new Map([[options.preset, played]]));
    if (options.json === undefined) return;
    const figures = {
      sample: job.sample ?? "all",
      ok: job.okFrom,
      isInterrupted: signal.aborted,
      seconds,
      tables: Object.fromEntries(results),
      runs: all,
    };
    writeFileSync(options.json, `${JSON.stringify(figures)}\n`);
  });
}

function describeRuns(
  { sample, okFrom, parts }: Omit<WorkerJob, "part">,
  { runs, sets, seconds }: { readonly runs: number; readonly sets: number; readonly seconds: number },
): string {
  const spread = sample === undefined ? "all of each set" : `at most ${sample} per set, spread evenly`;
  return (
    `\n${runs} runs of ${sets} sets, ${spread}; success of a call: ${okFrom}; preset ${options.preset}; ` +
    `${seconds} s with ${parts} workers`
  );
}

/** The rows without those that threw. Prints warnings about them, and about policies that failed. */
function usable(all: readonly RunRow[], { print }: Progress): readonly RunRow[] {
  const threw = all.filter((row) => row.threw !== undefined);
  const played = all.filter((row) => row.threw === undefined);
  const broken = played.filter((row) => row.broken.length > 0);
  const nameOf = (row: RunRow | undefined): string => `${row?.set ?? ""}:${row?.id ?? ""}`;
  if (threw.length > 0)
    print(`\n!! ${threw.length} runs threw and are left out, first: ${nameOf(threw[0])} ${threw[0]?.threw ?? ""}`);
  if (broken.length > 0)
    print(`\n!! a policy failed in ${broken.length} runs, first: ${nameOf(broken[0])} ${broken[0]?.broken[0] ?? ""}`);
  return played;
}
