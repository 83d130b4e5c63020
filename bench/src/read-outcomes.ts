// Prints the ends that `phasekit why` gives recorded runs, against their labels. The runs are not in the repository.
import { buildProgram } from "@phasekit/tooling/built-program";
import { exitInterrupted, runWithProgress } from "@phasekit/tooling/run-with-progress";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

import { promisify } from "node:util";
import { NO_RECORDED_RUNS, trajectoryFolder } from "./recorded-runs.ts";

interface ListedRun {
  readonly path: string;
  readonly about: { readonly parent?: object };
  readonly ending: { readonly judged?: { readonly success: boolean } };
  readonly story: { readonly state: string; readonly reason?: string; readonly verified?: boolean };
}

const LIMIT = 1000;
const execute = promisify(execFile);

const folder = trajectoryFolder();
if (folder === undefined) console.log(NO_RECORDED_RUNS);
else {
  const isInterrupted = await runWithProgress({ total: 1, unit: "tables" }, async (progress, signal) => {
    progress.now(`phasekit runs over ${folder}`);
    progress.print(renderOutcomes(folder, await listRuns(folder, signal)));
    progress.count();
  });
  if (isInterrupted) exitInterrupted();
}

async function listRuns(root: string, signal: AbortSignal): Promise<readonly ListedRun[]> {
  const { file, env } = buildProgram();
  const { stdout } = await execute(process.execPath, [file, "runs", root, "--limit", String(LIMIT), "--json"], {
    maxBuffer: 256 * 1024 * 1024,
    env,
    signal,
  });
  return (JSON.parse(stdout) as { readonly runs: readonly ListedRun[] }).runs;
}

/** A table: rows are the labels of the runs, columns are the ends that their logs and our gates give them. */
function renderOutcomes(root: string, runs: readonly ListedRun[]): string {
  const labels = JSON.parse(readFileSync(join(root, "labels.json"), "utf8")) as Readonly<
    Record<string, { readonly outcome?: string }>
  >;
  const counts = new Map<string, number>();
  const rows = new Set<string>();
  const columns = new Set<string>();
  for (const { path, about, ending, story } of runs) {
    if (about.parent !== undefined) continue;
    const { outcome = "unknown" } = labels[relative(root, path).replaceAll("\\", "/")] ?? {};
    const row = outcome === "mixed" ? judgedOutcome(ending) : outcome;
    const column = `${story.state}: ${story.reason ?? "no end"}`;
    rows.add(row);
    columns.add(column);
    counts.set(`${row}\n${column}`, (counts.get(`${row}\n${column}`) ?? 0) + 1);
  }
  const heads = [...columns].sort();
  return [
    `| label | ${heads.join(" | ")} | all |`,
    `| --- |${" --- |".repeat(heads.length + 1)}`,
    ...[...rows].sort().map((row) => {
      const cells = heads.map((column) => counts.get(`${row}\n${column}`) ?? 0);
      const all = cells.reduce((sum, count) => sum + count, 0);
      return `| ${row} | ${cells.map((count) => (count === 0 ? "" : String(count))).join(" | ")} | ${String(all)} |`;
    }),
  ].join("\n");
}

/** In a file of several runs, each has a judgement of its own. */
function judgedOutcome({ judged }: ListedRun["ending"]): string {
  if (judged === undefined) return "mixed, not judged";
  return judged.success ? "success" : "failure";
}
