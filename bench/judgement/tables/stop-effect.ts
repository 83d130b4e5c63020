import type { RunRow } from "../run-row.ts";
import { countHits, countIf, savedShare, total } from "./figures.ts";
import { resample } from "./resample.ts";

/** A figure in percent and its 95 % interval. */
export interface Range {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The effect of ending every run at a point. */
export interface Effect {
  /** Successful runs that are stopped. */
  readonly harm: Range;
  /** Turns of failing runs that are saved. */
  readonly saved: Range;
}

/** The effect of stopping at an escalation level or a peer rule. */
export function stopEffect(good: readonly RunRow[], bad: readonly RunRow[], point: string): Effect {
  const again = resample(good, bad).map(([, drawn]) => savedShare(drawn, point));
  return {
    harm: shareRange(countHits(good, point), good.length),
    saved: { value: savedShare(bad, point), ...middle(again) },
  };
}

/** The effect of ending every run after a number of turns. */
export function capEffect(good: readonly RunRow[], bad: readonly RunRow[], cap: number): Effect {
  const again = resample(good, bad).map(([, drawn]) => cappedShare(drawn, cap));
  return {
    harm: shareRange(
      countIf(good, ({ turns }) => turns > cap),
      good.length,
    ),
    saved: { value: cappedShare(bad, cap), ...middle(again) },
  };
}

function cappedShare(rows: readonly RunRow[], cap: number): number {
  const turns = total(rows, (row) => row.turns);
  return turns === 0 ? 0 : (100 * total(rows, (row) => Math.max(0, row.turns - cap))) / turns;
}

/** The middle 95 % of what resamples of the runs give. */
function middle(values: readonly number[]): { readonly low: number; readonly high: number } {
  const sorted = values.toSorted((x, y) => x - y);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return { low: at(0.025), high: at(0.975) };
}

/** A share with its Wilson interval, which is right for small counts too. */
export function shareRange(part: number, whole: number): Range {
  if (whole === 0) return { value: 0, low: 0, high: 100 };
  const z = 1.96;
  const share = part / whole;
  const scale = 1 + z ** 2 / whole;
  const center = (share + z ** 2 / (2 * whole)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / whole + z ** 2 / (4 * whole ** 2));
  return { value: 100 * share, low: 100 * Math.max(0, center - half), high: 100 * Math.min(1, center + half) };
}
