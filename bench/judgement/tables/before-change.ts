import { PEER_RULES } from "../peer-rules.ts";
import type { RunRow } from "../run-row.ts";
import { CODING } from "../sets.ts";
import { countHits, countIf, shareOf, splitByOutcome, turnsAfter } from "./figures.ts";
import { groupRuns } from "./groups.ts";
import type { Table } from "./table.ts";
import { LEVELS } from "./verdicts.ts";

/**
 * b4. Successes that end before their last landed change. A stop after the last change costs little: the work is done.
 * A stop before it may destroy a success.
 */
export function beforeChange(all: readonly RunRow[]): Table {
  const points = [...Object.keys(PEER_RULES).map((name) => [name, name] as const), ...Object.entries(LEVELS).reverse()];
  const [coding] = groupRuns(all.filter(({ set }) => CODING.includes(set)));
  const { good, bad } = splitByOutcome(coding?.[1] ?? []);
  const rows = points.map(([name, point]) => [
    name,
    shareOf(countHits(good, point), good.length),
    shareOf(countBeforeChange(good, point), good.length),
    turnsAfter(bad, point),
  ]);
  return {
    title: "b4. Successes stopped before their last landed change (coding sets)",
    head: [
      'rule or level, each as "stop here"',
      "successes stopped",
      "before their last change",
      "failing turns saved %",
    ],
    rows: good.length === 0 ? [] : rows,
  };
}

/** Runs that a stop at a level or rule ends before their last landed change. */
export function countBeforeChange(runs: readonly RunRow[], point: string): number {
  return countIf(runs, ({ at, lastChange }) => {
    const end = at[point];
    return end !== undefined && lastChange !== undefined && end < lastChange;
  });
}
