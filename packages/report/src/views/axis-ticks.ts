import { duration } from "./number-text.ts";

/** One labeled place on an axis. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Steps that people read without arithmetic. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 192].map((count) => count * HOUR),
];

/** Returns the ticks between two places of an axis, at most `most` of them. */
export function axisTicks(
  axis: "time" | "events",
  { from, to }: { readonly from: number; readonly to: number },
  most = 8,
): readonly Tick[] {
  const step = stepOf(axis, (to - from) / most);
  const ticks: Tick[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push({ at, label: labelOf(axis, at) });
  return ticks;
}

function stepOf(axis: "time" | "events", least: number): number {
  const known = axis === "time" ? TIME_STEPS.find((step) => step >= least) : undefined;
  if (known !== undefined) return known;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? power;
}

function labelOf(axis: "time" | "events", at: number): string {
  if (axis === "events") return String(at + 1);
  return at === 0 ? "0" : duration(at).replace(/ (?:0 s|0 min)$/, "");
}
