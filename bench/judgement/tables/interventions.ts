import type { RunRow } from "../run-row.ts";
import { countIf, percent, splitByOutcome, total, turnsAfter } from "./figures.ts";
import { groupRuns } from "./groups.ts";
import type { Table } from "./table.ts";

const SHARES: readonly (readonly [column: string, test: (row: RunRow) => boolean])[] = [
  ["alert", ({ at }) => at["alert"] !== undefined],
  ["strong", ({ at }) => at["strong"] !== undefined],
  ["nudged", ({ nudges }) => nudges > 0],
  ["(loop)", ({ loopNudges }) => loopNudges > 0],
  ["refused", ({ at }) => at["refusal"] !== undefined],
  ["stopped", ({ at }) => at["stop"] !== undefined],
  ["vetoed", ({ vetoed }) => vetoed],
];

/** Columns that say what Phasekit did to runs. */
export const COLUMNS: readonly string[] = [...SHARES.map(([column]) => column), "nudges/run (loop)"];

/** Columns that say how many turns come after it. */
export const TURN_COLUMNS: readonly string[] = ["turns after strong", "refusal", "stop"];

export function columnsOf(rows: readonly RunRow[]): readonly string[] {
  const perRun = (value: (row: RunRow) => number): string => (total(rows, value) / rows.length).toFixed(2);
  return [
    ...SHARES.map(([, test]) => percent(countIf(rows, test), rows.length)),
    rows.length === 0 ? "-" : `${perRun(({ nudges }) => nudges)} (${perRun(({ loopNudges }) => loopNudges)})`,
  ];
}

/** The turn columns; for successes only the stop counts. */
export function turnColumnsOf(rows: readonly RunRow[], outcome: "success" | "failure"): readonly string[] {
  return outcome === "success"
    ? ["", "", turnsAfter(rows, "stop")]
    : ["strong", "refusal", "stop"].map((point) => turnsAfter(rows, point));
}

/** a. What mode gate does to runs that succeed and to runs that fail. */
export function interventions(all: readonly RunRow[]): Table {
  const rows = groupRuns(all).flatMap(([name, members]) => {
    const { good, bad } = splitByOutcome(members);
    return [
      [name, "success", good.length, ...columnsOf(good), ...turnColumnsOf(good, "success")],
      ["", "failure", bad.length, ...columnsOf(bad), ...turnColumnsOf(bad, "failure")],
    ];
  });
  return {
    title: "a. Mode gate on runs with a known outcome (% of runs; % of turns)",
    head: ["set", "outcome", "runs", ...COLUMNS, ...TURN_COLUMNS],
    rows,
    notes: ["In a success, refused, stopped and vetoed are harm; in a failure they are the benefit. Read both lines."],
  };
}

/** a2. Sessions of people, without a verdict: most went well enough, so a high share is a nuisance. */
export function sessions(all: readonly RunRow[]): Table {
  const known = new Set(all.filter((row) => row.known).map(({ set }) => set));
  const names = [...new Set(all.map(({ set }) => set))].filter((set) => !known.has(set)).sort();
  const rows = names.map((set) => {
    const members = all.filter((row) => row.set === set && row.threw === undefined);
    return [set, members.length, ...columnsOf(members)];
  });
  return { title: "a2. Mode gate on sets without a verdict (% of runs)", head: ["set", "runs", ...COLUMNS], rows };
}
