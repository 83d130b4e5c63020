import { PEER_RULES } from "../peer-rules.ts";
import type { RunRow } from "../run-row.ts";
import { countHits, savedShare, shareOf, splitByOutcome, total, turnsAfter } from "./figures.ts";
import { poolRuns } from "./groups.ts";
import { RESAMPLES, resample } from "./resample.ts";
import type { Table } from "./table.ts";

/** Points at which Phasekit says more and more, each read as "stop here". */
export const LEVELS: Readonly<Record<string, string>> = {
  "any alert": "alert",
  "strong alert": "strong",
  "strong, warning": "grave",
  "strong, critical": "critical",
  "first loop nudge": "nudge",
  "second loop nudge": "nudge2",
  "first refusal": "refusal",
  stop: "stop",
};

interface Comparison {
  readonly harm: number;
  readonly theirs: number;
  readonly best: { readonly level: string; readonly harm: number; readonly saved: number };
}

/** b3. What Phasekit saves at no more harm than each rule, and how sure that is. */
export function verdicts(all: readonly RunRow[]): Table {
  const notes: string[] = [];
  for (const [name, members] of poolRuns(all)) {
    const { good, bad } = splitByOutcome(members);
    const harmed = shareOf(countHits(good, "stop"), good.length);
    notes.push(
      `${name}: Phasekit's own stop ends ${harmed} of successes and saves ${turnsAfter(bad, "stop")} % of failing turns.`,
    );
    for (const peer of Object.keys(PEER_RULES)) notes.push(compareWith(peer, good, bad));
    notes.push(compareWithCap(good, bad));
  }
  notes.push(
    `AHEAD or BEHIND: in at least 90 % of ${RESAMPLES} resamples of the runs. The level is the best of eight (any alert ... stop)`,
    'on these very runs, each read as "stop here", which flatters Phasekit; its real stop is the first line of each pool.',
    "The turn cap is the lowest one that ends no more successes than Phasekit's stop does, on these very runs too.",
    "The harm is a handful of runs: another choice of tasks can turn a verdict round.",
  );
  return { title: "b3. Verdicts", notes };
}

function compareWith(peer: string, good: readonly RunRow[], bad: readonly RunRow[]): string {
  const { harm, theirs, best } = againstPeer(good, bad, peer);
  const gaps = resample(good, bad).map(([goodAgain, badAgain]) => {
    const drawn = againstPeer(goodAgain, badAgain, peer);
    return drawn.best.saved - drawn.theirs;
  });
  return (
    `  ${verdictOf(gaps)} ${peer}: at that rule's harm (successes stopped ${shareOf(harm, good.length)}), Phasekit saves ` +
    `${best.saved.toFixed(1)} % of failing turns (${best.level}, ${best.harm} harmed) against ${theirs.toFixed(1)} %; ` +
    `ahead in ${aheadIn(gaps)} % of resamples.`
  );
}

/** Phasekit's best level among those that end no more successes than the rule does. */
function againstPeer(good: readonly RunRow[], bad: readonly RunRow[], peer: string): Comparison {
  const harm = countHits(good, peer);
  const [best] = Object.entries(LEVELS)
    .map(([level, point]) => ({ level, point, harm: countHits(good, point) }))
    .filter((candidate) => candidate.harm <= harm)
    .map((candidate) => ({ ...candidate, saved: savedShare(bad, candidate.point) }))
    .sort((x, y) => y.saved - x.saved);
  return { harm, theirs: savedShare(bad, peer), best: best ?? { level: "every level harms more", harm: 0, saved: 0 } };
}

function compareWithCap(good: readonly RunRow[], bad: readonly RunRow[]): string {
  const { cap, harm, saved, ours } = againstCap(good, bad);
  const gaps = resample(good, bad).map(([goodAgain, badAgain]) => {
    const drawn = againstCap(goodAgain, badAgain);
    return drawn.ours - drawn.saved;
  });
  return (
    `  ${verdictOf(gaps)} turn cap ${cap}: at the harm of Phasekit's stop (the cap ends ${shareOf(harm, good.length)} of ` +
    `successes), Phasekit's stop saves ${ours.toFixed(1)} % of failing turns against ${saved.toFixed(1)} %; ` +
    `ahead in ${aheadIn(gaps)} % of resamples.`
  );
}

/** The lowest limit on turns that ends no more successes than Phasekit's stop. */
function againstCap(
  good: readonly RunRow[],
  bad: readonly RunRow[],
): { readonly cap: number; readonly harm: number; readonly saved: number; readonly ours: number } {
  const lengths = good.map(({ turns }) => turns).sort((x, y) => y - x);
  const cap = lengths[countHits(good, "stop")] ?? 0;
  const turns = total(bad, (row) => row.turns);
  return {
    cap,
    harm: lengths.filter((length) => length > cap).length,
    saved: turns === 0 ? 0 : (100 * total(bad, (row) => Math.max(0, row.turns - cap))) / turns,
    ours: savedShare(bad, "stop"),
  };
}

function shareAhead(gaps: readonly number[]): number {
  return total(gaps, (gap) => (gap > 0 ? 1 : gap === 0 ? 0.5 : 0)) / gaps.length;
}

const aheadIn = (gaps: readonly number[]): number => Math.round(100 * shareAhead(gaps));

function verdictOf(gaps: readonly number[]): string {
  const ahead = shareAhead(gaps);
  return (ahead >= 0.9 ? "AHEAD" : ahead <= 0.1 ? "BEHIND" : "unclear").padEnd(7);
}
