import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const ENDING = ".jsonl.gz";

/** The folder of recorded runs: the given one, PHASEKIT_DATA, or the one beside the repository. */
export function findData(given: string | undefined): { readonly folder: string; readonly found: boolean } {
  const named = given ?? process.env["PHASEKIT_DATA"];
  const candidates =
    named === undefined ? [join(import.meta.dirname, "../../../shared/data/runs")] : [named, join(named, "runs")];
  const folder = candidates.find((candidate) => listSets(candidate).length > 0);
  return { folder: folder ?? candidates[0] ?? "", found: folder !== undefined };
}

/** Names of the sets in a folder, in order. */
export function listSets(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .sort();
}

/** The lines of one set, not yet parsed. */
export function readLines(folder: string, set: string): readonly string[] {
  return gunzipSync(readFileSync(join(folder, set + ENDING)))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** Positions to play: all, or `sample` of them spread evenly over the set. */
export function pickPositions(count: number, sample: number | undefined): readonly number[] {
  const all = sample === undefined || sample >= count;
  const wanted = all ? count : sample;
  return Array.from({ length: wanted }, (_, i) => (all ? i : Math.floor((i * count) / wanted)));
}

/** A list of runs, one `set<tab>id` per line, plain or gzipped. */
export function readIds(file: string): ReadonlySet<string> {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return new Set(text.split("\n").filter((line) => line !== ""));
}
