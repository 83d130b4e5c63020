// Plays every n-th run of the chosen sets. Started by main.ts, one per core.
import { parentPort, workerData } from "node:worker_threads";
import type { OkSource } from "./host-view.ts";
import { toHostView } from "./host-view.ts";
import { findPreset } from "./presets.ts";
import { pickPositions, readLines } from "./read-runs.ts";
import type { RecordedRun } from "./recorded-run.ts";
import { makeRow, type RunRow } from "./run-row.ts";

/** The runs a worker plays. */
export interface WorkerJob {
  readonly data: string;
  readonly sets: readonly string[];
  readonly sample: number | undefined;
  readonly okFrom: OkSource;
  readonly preset: string;
  readonly ids: ReadonlySet<string> | undefined;
  readonly part: number;
  readonly parts: number;
}

/** Some rows of one set. */
export interface WorkerRows {
  readonly set: string;
  /** Runs the set holds. */
  readonly count: number;
  /** Runs of the set that all workers play together. */
  readonly chosen: number;
  readonly rows: readonly RunRow[];
}

/** Runs between two messages. */
const ROWS = 10;

const { data, sets, sample, okFrom, preset: name, ids, part, parts } = workerData as WorkerJob;
const preset = findPreset(name);
if (preset === undefined) throw new Error(`Unknown preset "${name}".`);
let position = 0;
for (const set of sets) {
  let lines = readLines(data, set);
  if (ids !== undefined) lines = lines.filter((line) => ids.has(`${set}\t${parse(line).id}`));
  const positions = pickPositions(lines.length, sample);
  const post = (some: readonly RunRow[]): void =>
    parentPort?.postMessage({
      set,
      count: lines.length,
      chosen: positions.length,
      rows: some,
    } satisfies WorkerRows);
  const rows: RunRow[] = [];
  for (const index of positions) {
    if (position++ % parts !== part) continue;
    rows.push(makeRow(toHostView(parse(lines[index] ?? "")), { index, preset, okFrom }));
    if (rows.length === ROWS) post(rows.splice(0));
  }
  post(rows);
}

function parse(line: string): RecordedRun {
  return JSON.parse(line) as RecordedRun;
}
