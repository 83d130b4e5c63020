import type { RunRow } from "../run-row.ts";

/** A share in percent with one decimal, or "-" of nothing. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? "-" : ((100 * part) / whole).toFixed(1);
}

/** A count of a whole, with its percentage. */
export function shareOf(part: number, whole: number): string {
  return `${part}/${whole}${whole === 0 ? "" : ` = ${percent(part, whole)} %`}`;
}

export function countIf<T>(list: readonly T[], test: (row: T) => boolean): number {
  return list.reduce((sum, row) => sum + Number(test(row)), 0);
}

export function total<T>(list: readonly T[], value: (row: T) => number): number {
  return list.reduce((sum, row) => sum + value(row), 0);
}

/** Successful and failing runs apart. */
export function splitByOutcome(rows: readonly RunRow[]): { readonly good: RunRow[]; readonly bad: RunRow[] } {
  return {
    good: rows.filter(({ outcome }) => outcome === "success"),
    bad: rows.filter(({ outcome }) => outcome === "failure"),
  };
}

/** How many runs reach a point: an escalation level or a peer rule. */
export function countHits(rows: readonly RunRow[], point: string): number {
  return countIf(rows, ({ at }) => at[point] !== undefined);
}

/** Turns of these runs that come after the point, as a fraction of all their turns. */
export function savedShare(rows: readonly RunRow[], point: string): number {
  const turns = total(rows, (row) => row.turns);
  const saved = total(rows, (row) => Math.max(0, row.turns - (row.at[point] ?? row.turns)));
  return turns === 0 ? 0 : (100 * saved) / turns;
}

/** `savedShare` as text; "-" if there are no turns. */
export function turnsAfter(rows: readonly RunRow[], point: string): string {
  return total(rows, ({ turns }) => turns) === 0 ? "-" : savedShare(rows, point).toFixed(1);
}
