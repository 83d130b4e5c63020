import type { RunRow } from "../run-row.ts";
import { CODING } from "../sets.ts";

/** A name for some runs. */
export type Group = readonly [name: string, rows: readonly RunRow[]];

/** Qwen-7B never succeeds and repeats itself a lot; lines without it are the fairer comparison. */
const isQwen = ({ set, model }: RunRow): boolean => set === "openhands-swebv" && String(model).includes("Qwen");

/** Groups of runs with a known outcome: three pools first, then set by set. */
export function groupRuns(all: readonly RunRow[]): readonly Group[] {
  const rows = all.filter(({ known, threw }) => known && threw === undefined);
  const coding = rows.filter(({ set }) => CODING.includes(set));
  const others = [...new Set(rows.map(({ set }) => set))].filter((set) => !CODING.includes(set)).sort();
  const groups: Group[] = [
    ["coding sets", coding],
    ["coding, no Qwen-7B", coding.filter((row) => !isQwen(row))],
    ["all sets", rows],
  ];
  for (const set of [...CODING, ...others]) {
    const members = rows.filter((row) => row.set === set);
    groups.push([set, members]);
    if (set === "openhands-swebv") groups.push(["- without Qwen-7B", members.filter((row) => !isQwen(row))]);
  }
  return groups.filter(([, members]) => members.length > 0);
}

/** The three pools. */
export function poolRuns(all: readonly RunRow[]): readonly Group[] {
  return groupRuns(all).slice(0, 3);
}
