import type { RunRow } from "../run-row.ts";
import { CODING } from "../sets.ts";
import { countBeforeChange } from "./before-change.ts";
import { countHits, savedShare, shareOf, splitByOutcome, total } from "./figures.ts";
import type { Table } from "./table.ts";

/** The share of successes that a stop may end, in percent. */
const HARM = 0.5;

/**
 * Every part scored with the preset that is best on all the others: the one whose stop saves most failing turns there
 * and ends at most 0.5 % of the successes. A part is a set, or a model within OpenHands.
 */
export function leaveOut(played: ReadonlyMap<string, readonly RunRow[]>): Table {
  const parts = leftOut(played);
  const rows = parts.map(({ part, chosen, members }) => [part, chosen, ...cellsOf(members)]);
  const scored = parts.flatMap(({ members }) => members);
  return {
    title: `Stop, left out: each part with the preset that is best on all others (at most ${String(HARM)} % of their successes ended)`,
    head: ["part", "preset", "successes stopped", "before last change", "failing turns", "saved %"],
    rows: [...rows, ["all parts", "", ...cellsOf(scored)]],
  };
}

/** The runs of every part, played with the preset that is best on all the others. */
export function leftOut(
  played: ReadonlyMap<string, readonly RunRow[]>,
): readonly { readonly part: string; readonly chosen: string; readonly members: readonly RunRow[] }[] {
  const rowsByPreset = new Map([...played].map(([preset, rows]) => [preset, rows.filter(isScored)]));
  const parts = [...new Set([...rowsByPreset.values()].flatMap((rows) => rows.map(partOf)))].sort();
  return parts.map((part) => {
    const chosen = bestOf(rowsByPreset, (row) => partOf(row) !== part);
    return { part, chosen, members: (rowsByPreset.get(chosen) ?? []).filter((row) => partOf(row) === part) };
  });
}

function isScored({ known, threw, set }: RunRow): boolean {
  return known && threw === undefined && CODING.includes(set);
}

function partOf({ set, model = "" }: RunRow): string {
  return set === "openhands-swebv" ? `${set}: ${model}` : set;
}

function bestOf(rowsByPreset: ReadonlyMap<string, readonly RunRow[]>, isOther: (row: RunRow) => boolean): string {
  const choices = [...rowsByPreset].map(([preset, rows]) => {
    const { good, bad } = splitByOutcome(rows.filter(isOther));
    const harm = good.length === 0 ? 0 : (100 * countHits(good, "stop")) / good.length;
    return { preset, harm, saved: savedShare(bad, "stop") };
  });
  const allowed = choices.filter(({ harm }) => harm <= HARM);
  const best = allowed.length > 0 ? allowed : choices.sort((one, other) => one.harm - other.harm).slice(0, 1);
  return best.reduce((one, other) => (other.saved > one.saved ? other : one)).preset;
}

function cellsOf(members: readonly RunRow[]): readonly (string | number)[] {
  const { good, bad } = splitByOutcome(members);
  return [
    shareOf(countHits(good, "stop"), good.length),
    countBeforeChange(good, "stop"),
    total(bad, ({ turns }) => turns),
    savedShare(bad, "stop").toFixed(1),
  ];
}
