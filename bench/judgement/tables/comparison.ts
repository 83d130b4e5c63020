import type { RunRow } from "../run-row.ts";
import { countHits, countIf, percent, splitByOutcome, total, turnsAfter } from "./figures.ts";
import { poolRuns } from "./groups.ts";
import type { Table } from "./table.ts";

const HEAD = [
  "pool",
  "preset",
  "stop: successes %",
  "before last change %",
  "failing turns saved %",
  "strong alert: successes %",
  "failures %",
  "vetoed successes %",
  "nudges / success",
];

/** Several presets in one table. */
export function comparePresets(played: ReadonlyMap<string, readonly RunRow[]>): Table {
  const pools = new Map<string, (readonly (string | number)[])[]>();
  for (const [preset, all] of played)
    for (const [pool, members] of poolRuns(all)) {
      const rows = pools.get(pool) ?? [];
      pools.set(pool, [...rows, [rows.length === 0 ? pool : "", preset, ...cellsOf(members)]]);
    }
  return { title: "Presets side by side (mode gate)", head: HEAD, rows: [...pools.values()].flat() };
}

function cellsOf(members: readonly RunRow[]): readonly string[] {
  const { good, bad } = splitByOutcome(members);
  const early = countIf(good, ({ at, lastChange = 0 }) => at["stop"] !== undefined && at["stop"] < lastChange);
  const nudges = total(good, (row) => row.nudges);
  return [
    percent(countHits(good, "stop"), good.length),
    percent(early, good.length),
    turnsAfter(bad, "stop"),
    percent(countHits(good, "strong"), good.length),
    percent(countHits(bad, "strong"), bad.length),
    percent(
      countIf(good, ({ vetoed }) => vetoed),
      good.length,
    ),
    good.length === 0 ? "-" : (nudges / good.length).toFixed(2),
  ];
}
