import type { RunRow } from "../run-row.ts";
import { CODING } from "../sets.ts";
import { countIf, percent, shareOf } from "./figures.ts";
import { groupRuns } from "./groups.ts";
import type { Table } from "./table.ts";

/** e. Whether "verified" predicts the outcome. */
export function verified(all: readonly RunRow[]): Table {
  const rows: (readonly (string | number)[])[] = [];
  for (const [name, members] of groupRuns(all)) {
    if (!members.every(({ set }) => CODING.includes(set))) continue;
    rows.push([name, "all", ...cellsOf(members)]);
    const done = members.filter(({ saidDone }) => saidDone);
    if (done.length > 0 && done.length < members.length) rows.push(["", "said done", ...cellsOf(done)]);
  }
  return {
    title: 'e. Is "verified" informative? (mode observe)',
    head: ["set", "runs that", "runs", "verified %", "P(resolved | verified)", "P(resolved | not)"],
    rows,
  };
}

function cellsOf(list: readonly RunRow[]): readonly (string | number)[] {
  const yes = list.filter((row) => row.verified === true);
  const no = list.filter((row) => row.verified !== true);
  const resolved = (rows: readonly RunRow[]): string =>
    shareOf(
      countIf(rows, ({ outcome }) => outcome === "success"),
      rows.length,
    );
  return [list.length, percent(yes.length, list.length), resolved(yes), resolved(no)];
}
