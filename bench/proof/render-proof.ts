import { PEER_RULES } from "../judgement/peer-rules.ts";
import type { RunRow } from "../judgement/run-row.ts";
import { countBeforeChange } from "../judgement/tables/before-change.ts";
import { countHits, splitByOutcome } from "../judgement/tables/figures.ts";
import { groupRuns } from "../judgement/tables/groups.ts";
import { type Range, shareRange, stopEffect } from "../judgement/tables/stop-effect.ts";

/** The output of `pnpm sessions --json`. */
export interface SessionRows {
  readonly rows: readonly {
    readonly name: string;
    readonly n: number;
    readonly right: number;
    readonly isPart: boolean;
    readonly aside: boolean;
  }[];
}

interface Measured {
  /** Success of a call as the set says it. */
  readonly given: readonly RunRow[];
  /** Success of a call only from error flags and exit codes. */
  readonly host: readonly RunRow[];
  /** Every part with the stop that is best on all the others. */
  readonly leftOutRuns: readonly RunRow[];
  readonly sessions: SessionRows;
}

/** The figures of docs/proof.md as Markdown. */
export function renderProof({ given, host, leftOutRuns, sessions }: Measured): string {
  const [pool] = groupRuns(given);
  const sets = groupRuns(given).filter(([name]) => !/^(?:coding|all sets|-)/.test(name));
  const [, members = []] = pool ?? [];
  const { good } = splitByOutcome(members);
  const hosted = groupRuns(host)[0]?.[1] ?? [];
  return [
    `${String(members.length)} coding runs of ${String(sets.length)} sets. In brackets: 95 % intervals.`,
    "",
    "| End every run at | Successful runs stopped | Turns of failing runs saved |",
    "| --- | --- | --- |",
    effectRow("**Phasekit's own stop**", members, "stop"),
    effectRow("the same, its level chosen without the part it is measured on", leftOutRuns, "stop"),
    effectRow("the same, with only the error flags and exit codes that a host knows", hosted, "stop"),
    effectRow("Phasekit's first nudge about a loop, read as a stop", members, "nudge"),
    ...Object.keys(PEER_RULES).map((rule) => effectRow(`rule: ${rule}`, members, rule)),
    "",
    "Successful runs that the stop ends before their last change that landed: " +
      `${String(countBeforeChange(good, "stop"))} of ${String(good.length)}; ` +
      `with the level chosen elsewhere ${String(countBeforeChange(splitByOutcome(leftOutRuns).good, "stop"))}.`,
    "",
    "![Harm against turns saved: Phasekit's levels, rules of other tools and turn caps, for all runs and for each set](images/proof.svg)",
    "",
    "Each small picture is one set, with its successful and failing runs.",
    "",
    "| Set | Succeeded / failed | Phasekit: stopped, saved | 3 equal calls: stopped, saved |",
    "| --- | --- | --- | --- |",
    ...sets.map(([name, rows]) => setRow(name, rows)),
    "",
    "### Sessions, beside careful readers",
    "",
    "| Question | Same answer | 95 % interval |",
    "| --- | --- | --- |",
    ...sessions.rows
      .filter(({ isPart, aside, n }) => !isPart && !aside && n > 0)
      .map(
        ({ name, n, right }) => `| ${name} | ${String(right)} of ${String(n)} | ${interval(shareRange(right, n))} |`,
      ),
  ].join("\n");
}

function effectRow(name: string, rows: readonly RunRow[], point: string): string {
  const { good, bad } = splitByOutcome(rows);
  const { harm, saved } = stopEffect(good, bad, point);
  const count = `${String(countHits(good, point))} of ${String(good.length)}`;
  return `| ${name} | ${count}: ${withInterval(harm)} | ${withInterval(saved)} |`;
}

function setRow(name: string, rows: readonly RunRow[]): string {
  const { good, bad } = splitByOutcome(rows);
  const cell = (point: string): string => {
    const { saved } = stopEffect(good, bad, point);
    return `${String(countHits(good, point))}, ${saved.value.toFixed(1)} %`;
  };
  return `| ${name} | ${String(good.length)} / ${String(bad.length)} | ${cell("stop")} | ${cell("3 equal calls")} |`;
}

const withInterval = (range: Range): string => `${range.value.toFixed(1)} % (${interval(range)})`;
const interval = ({ low, high }: Range): string => `${low.toFixed(1)} to ${high.toFixed(1)} %`;
