// Prints how `phasekit why` ends recorded runs, against what their labels say. The runs are not part of the repository.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { trajectoryFolder } from "./recorded-runs.ts";

interface ListedRun {
  readonly path: string;
  readonly about: { readonly parent?: object };
  readonly ending: { readonly judged?: { readonly success: boolean } };
  readonly story: { readonly state: string; readonly reason?: string; readonly verified?: boolean };
}

const folder = trajectoryFolder();
if (folder === undefined) console.log("No recorded runs found: set PHASEKIT_DATA to the folder that holds them.");
else printTable(folder);

/** Rows are what somebody outside said of the run, columns are what its log and our gates say. */
function printTable(root: string): void {
  const labels = JSON.parse(readFileSync(join(root, "labels.json"), "utf8")) as Readonly<
    Record<string, { readonly outcome?: string }>
  >;
  const bin = join(dirname(fileURLToPath(import.meta.resolve("phasekit"))), "bin.js");
  const { stdout } = spawnSync(process.execPath, [bin, "runs", root, "--limit", "1000", "--json"], {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  const { runs } = JSON.parse(stdout) as { readonly runs: readonly ListedRun[] };
  const counts = new Map<string, number>();
  const rows = new Set<string>();
  const columns = new Set<string>();
  for (const { path, about, ending, story } of runs) {
    if (about.parent !== undefined) continue;
    const { outcome = "unknown" } = labels[relative(root, path).replaceAll("\\", "/")] ?? {};
    // In a file of several runs each has a judgement of its own.
    const row =
      outcome !== "mixed"
        ? outcome
        : ending.judged === undefined
          ? "mixed, not judged"
          : ending.judged.success
            ? "success"
            : "failure";
    const column = `${story.state}: ${story.reason ?? "no end"}`;
    rows.add(row);
    columns.add(column);
    counts.set(`${row}\n${column}`, (counts.get(`${row}\n${column}`) ?? 0) + 1);
  }
  const heads = [...columns].sort();
  console.log(`| label | ${heads.join(" | ")} | all |`);
  console.log(`| --- |${" --- |".repeat(heads.length + 1)}`);
  for (const row of [...rows].sort()) {
    const cells = heads.map((column) => counts.get(`${row}\n${column}`) ?? 0);
    console.log(
      `| ${row} | ${cells.map((count) => (count === 0 ? "" : String(count))).join(" | ")} | ${String(cells.reduce((sum, count) => sum + count, 0))} |`,
    );
  }
}
