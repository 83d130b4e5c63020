import type { RunRow } from "../run-row.ts";
import { CODING } from "../sets.ts";
import { countIf, splitByOutcome } from "./figures.ts";
import type { Table } from "./table.ts";

/** f. Runs with at least one alert of each kind, then with a nudge of each policy. */
export function detectors(all: readonly RunRow[]): Table {
  const known = all.filter((row) => row.known && row.threw === undefined);
  const coding = known.filter(({ set }) => CODING.includes(set));
  const lines = (key: Key): (readonly (string | number)[])[] =>
    [...new Set(known.flatMap((row) => row[key]))]
      .map((name) => ({ name, inCoding: countRuns(coding, key, name), inAll: countRuns(known, key, name) }))
      .sort((x, y) => y.inAll.good + y.inAll.bad - x.inAll.good - x.inAll.bad)
      .map(({ name, inCoding, inAll }) => [name, ...cellsOf(inCoding), ...cellsOf(inAll)]);
  return {
    title:
      "f. Runs with an alert of each kind, then with a nudge of each policy (ratio: rate in failing runs / rate in successful ones, not corrected for length)",
    head: ["kind", "coding: succ", "fail", "ratio", "all: succ", "fail", "ratio"],
    rows: [
      ...lines("kinds"),
      ["-- stalls, in any run --", "", "", "", "", "", ""],
      ...lines("stalls"),
      ["-- nudges by --", "", "", "", "", "", ""],
      ...lines("nudgedBy"),
    ],
    notes: [`Stops: ${stopsOf(known)} (success/failure)`],
  };
}

interface Counts {
  readonly good: number;
  readonly bad: number;
  readonly goodRuns: number;
  readonly badRuns: number;
}

type Key = "kinds" | "stalls" | "nudgedBy";

function countRuns(rows: readonly RunRow[], key: Key, name: string): Counts {
  const { good, bad } = splitByOutcome(rows);
  const has = (row: RunRow): boolean => row[key].includes(name);
  return { good: countIf(good, has), bad: countIf(bad, has), goodRuns: good.length, badRuns: bad.length };
}

function cellsOf({ good, bad, goodRuns, badRuns }: Counts): readonly (string | number)[] {
  if (good > 0) return [good, bad, (bad / badRuns / (good / goodRuns)).toFixed(1)];
  return [good, bad, bad === 0 ? "-" : "only failing"];
}

function stopsOf(known: readonly RunRow[]): string {
  const reasons = new Map<string, { success: number; failure: number }>();
  for (const { outcome, stopReason } of known) {
    if (stopReason === undefined || (outcome !== "success" && outcome !== "failure")) continue;
    const counts = reasons.get(stopReason) ?? { success: 0, failure: 0 };
    counts[outcome] += 1;
    reasons.set(stopReason, counts);
  }
  if (reasons.size === 0) return "none";
  return [...reasons].map(([reason, { success, failure }]) => `${reason} ${success}/${failure}`).join(", ");
}
