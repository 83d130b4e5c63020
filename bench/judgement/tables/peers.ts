import { PEER_RULES } from "../peer-rules.ts";
import type { RunRow } from "../run-row.ts";
import { countHits, percent, splitByOutcome, turnsAfter } from "./figures.ts";
import { groupRuns, poolRuns } from "./groups.ts";
import { COLUMNS, columnsOf, TURN_COLUMNS, turnColumnsOf } from "./interventions.ts";
import type { Table } from "./table.ts";

/** b. Phasekit beside the rules of other tools, in the columns of table a. A rule only stops. */
export function besidePeers(all: readonly RunRow[]): Table {
  const rows: (readonly (string | number)[])[] = [];
  for (const [name, members] of poolRuns(all)) {
    const { good, bad } = splitByOutcome(members);
    for (const [outcome, list] of [["success", good] as const, ["failure", bad] as const]) {
      rows.push([name, outcome, list.length, "Phasekit", ...columnsOf(list), ...turnColumnsOf(list, outcome)]);
      for (const peer of Object.keys(PEER_RULES)) {
        const stopped = percent(countHits(list, peer), list.length);
        const cells = COLUMNS.map((column) => (column === "stopped" ? stopped : ""));
        rows.push(["", "", "", peer, ...cells, "", "", turnsAfter(list, peer)]);
      }
    }
  }
  return {
    title: 'b. Beside other tools\' rules, each as "stop here" (% of runs; % of turns)',
    head: ["set", "outcome", "runs", "rule", ...COLUMNS, ...TURN_COLUMNS],
    rows,
  };
}

const POINTS: readonly (readonly [name: string, point: string])[] = [
  ...Object.keys(PEER_RULES).map((name) => [name, name] as const),
  ["PK stop", "stop"],
  ["PK first refusal", "refusal"],
  ["PK second loop nudge", "nudge2"],
  ["PK strong alert", "strong"],
];

/** b2. Set by set: failing runs hit / successful runs hit / turns of failing runs after it. */
export function peersBySet(all: readonly RunRow[]): Table {
  const rows = groupRuns(all).map(([name, members]) => {
    const { good, bad } = splitByOutcome(members);
    const cells = POINTS.map(([, point]) =>
      [
        percent(countHits(bad, point), bad.length),
        percent(countHits(good, point), good.length),
        turnsAfter(bad, point),
      ].join(" / "),
    );
    return [name, `${bad.length}/${good.length}`, ...cells];
  });
  return {
    title: "b2. Per set: % of failing runs hit / % of successful runs hit / % of failing runs' turns after it",
    head: ["set", "fail/succ", ...POINTS.map(([name]) => name)],
    rows,
  };
}
