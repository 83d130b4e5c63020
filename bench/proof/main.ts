// Writes the figures of docs/proof.md, or fetches the public runs with which anyone can repeat a part of them.
// Writes the figures of docs/proof.md, or fetches the public runs with which anyone can repeat a part of them.
import { exitInterrupted, runWithProgress } from "@phasekit/tooling/run-with-progress";
import { root } from "@phasekit/tooling/workspace";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drawChart } from "../judgement/draw-chart.ts";
import type { OkSource } from "../judgement/host-view.ts";
import { playSets } from "../judgement/play-sets.ts";
import { LEFT_OUT_PRESETS } from "../judgement/presets.ts";
import { findData, listSets } from "../judgement/read-runs.ts";
import type { RunRow } from "../judgement/run-row.ts";
import { CODING } from "../judgement/sets.ts";
import { leftOut } from "../judgement/tables/leave-out.ts";
import { findSessions } from "../sessions/label.ts";
import { fetchRuns, isFreshFolder, publicRuns } from "./fetch-runs.ts";
import { renderProof, type SessionRows } from "./render-proof.ts";
import { writeFigures } from "@phasekit/tooling/write-figures";

const USAGE = `Usage: pnpm proof [fetch <folder>]

Without arguments, plays the recorded runs and the labelled sessions and writes their figures into docs/proof.md.
They are not part of the repository; without them it says so and writes nothing.

  fetch <folder>   Fetch the public runs and their outcomes with git, then play them
  --help           Print this text`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", short: "h", default: false } },
});
const [command, folder] = positionals;

if (options.help) console.log(USAGE);
else if (command === undefined) await writeProof();
else if (command === "fetch" && folder !== undefined) await fetchAndPlay(folder);
else {
  console.error(USAGE);
  process.exitCode = 2;
}

async function writeProof(): Promise<void> {
  const { folder: data, found } = findData(undefined);
  if (!found || findSessions(undefined) === undefined) {
    console.log(`Recorded runs (${data}) or labelled sessions are missing. Nothing was written.`);
    console.log("Set PHASEKIT_DATA to their folder, or fetch public runs: pnpm proof fetch <folder>.");
    return;
  }
  const sessions = JSON.parse(await start("bench/sessions/main.ts", "--json")) as SessionRows;
  const sets = CODING.filter((set) => listSets(data).includes(set));
  const total = sets.length * (2 + LEFT_OUT_PRESETS.length);
  const isInterrupted = await runWithProgress({ total, unit: "sets" }, async (progress, signal) => {
    const play = async (preset: string, okFrom: OkSource): Promise<readonly RunRow[]> => {
      const job = { data, sets, okFrom, preset, parts: availableParallelism(), sample: undefined, ids: undefined };
      const { rows } = await playSets(job, { progress, signal });
      signal.throwIfAborted();
      return rows().filter(({ threw }) => threw === undefined);
    };
    const given = await play("default", "given");
    const host = await play("default", "host");
    const levels = new Map<string, readonly RunRow[]>();
    for (const preset of LEFT_OUT_PRESETS) levels.set(preset, await play(preset, "given"));
    const leftOutRuns = leftOut(levels).flatMap(({ members }) => members);
    writeFigures("docs/proof.md", renderProof({ given, host, leftOutRuns, sessions }));
    writeFileSync(join(root, "docs/images/proof.svg"), drawChart(new Map([["default", given]])));
    progress.print("Wrote docs/proof.md and docs/images/proof.svg.");
  });
  if (isInterrupted) exitInterrupted();
}

/** Runs a program of this workspace from its sources; its progress stays visible. Returns what it prints. */
function start(...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["tooling/start.mjs", ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${args[0] ?? ""} ended with exit code ${String(code)}.`));
    });
  });
}

async function fetchAndPlay(target: string): Promise<void> {
  if (!isFreshFolder(target)) {
    console.error(`${target} already has fetched runs. Name another folder, or remove it.`);
    process.exitCode = 2;
    return;
  }
  mkdirSync(target, { recursive: true });
  const sources = publicRuns();
  const isInterrupted = await runWithProgress({ total: sources.length, unit: "sets" }, async (progress, signal) => {
    for (const source of sources) {
      progress.now(source.repository);
      try {
        const { runs, successes, unknown } = await fetchRuns(source, target, signal);
        progress.print(
          `${source.set.padEnd(16)} ${String(runs)} runs, ${String(successes)} succeeded` +
            (unknown === 0 ? "" : `; ${String(unknown)} logs have no outcome`),
        );
      } catch (error) {
        signal.throwIfAborted();
        progress.print(
          `${source.set.padEnd(16)} not fetched: ${error instanceof Error ? error.message : String(error)}`,
        );
        process.exitCode = 1;
      }
      progress.count();
    }
  });
  if (isInterrupted) exitInterrupted();
  if (!existsSync(join(target, "logs"))) return;
  const outcomes = join(target, "outcomes.tsv");
  console.log(await start("bench/judgement/main.ts", "--logs", join(target, "logs"), "--outcomes", outcomes));
}
