import type { Tone } from "@phasekit/ledger/story";
import { rowsByKey } from "../group-rows.ts";
import type { RunLine } from "../run-line.ts";

/** The runs that started in one day, week or month. */
export interface TrendBucket {
  /** The first and the last day, as `2026-07-01`. */
  readonly from: string;
  readonly to: string;
  readonly runs: number;
  /** Runs by how good their end is. */
  readonly tones: Readonly<Record<Tone, number>>;
  /** Runs whose work a check of the project shows to be right, or speaks for. */
  readonly backed: number;
  /** Runs whose work needed a check. */
  readonly judged: number;
  readonly tokens: number;
  readonly cost: number;
}

/** Runs over time, in buckets of one size without gaps. */
export interface Trend {
  readonly unit: TrendUnit;
  readonly buckets: readonly TrendBucket[];
  /** Runs whose log has no time. */
  readonly undated: number;
}

type TrendUnit = "day" | "week" | "month";

/** More buckets are columns too thin to click. */
const MAX_BUCKETS = 48;
const DAY_MS = 86_400_000;
const BACKED: ReadonlySet<string> = new Set(["proven", "supported"]);

/** Sums up runs by the day, week or month in which they started, in the reader's time zone. */
export function trendOf(lines: readonly RunLine[]): Trend {
  const dated = lines.filter(({ startedAt }) => startedAt > 0);
  const undated = lines.length - dated.length;
  if (dated.length === 0) return { unit: "day", buckets: [], undated };
  const first = dated.reduce((least, { startedAt }) => Math.min(least, startedAt), Infinity);
  const last = dated.reduce((most, { startedAt }) => Math.max(most, startedAt), 0);
  const days = (last - first) / DAY_MS;
  const unit: TrendUnit = days < MAX_BUCKETS ? "day" : days < 7 * MAX_BUCKETS ? "week" : "month";
  const byStart = rowsByKey(dated, ({ startedAt }) => startOf(unit, startedAt).getTime());
  const buckets: TrendBucket[] = [];
  for (let at = startOf(unit, first); at.getTime() <= last; at = nextOf(unit, at))
    buckets.push(bucketOf(unit, at, byStart.get(at.getTime()) ?? []));
  return { unit, buckets, undated };
}

/** The day of a time as `2026-07-01`, in the reader's time zone. */
export function dayKey(at: number | Date): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function bucketOf(unit: TrendUnit, start: Date, lines: readonly RunLine[]): TrendBucket {
  const end = nextOf(unit, start);
  end.setDate(end.getDate() - 1);
  const tones = { good: 0, plain: 0, fair: 0, bad: 0 };
  for (const { tone } of lines) tones[tone] += 1;
  const sum = (read: (line: RunLine) => number): number => lines.reduce((total, line) => total + read(line), 0);
  return {
    from: dayKey(start),
    to: dayKey(end),
    runs: lines.length,
    tones,
    backed: lines.filter(({ grade = "" }) => BACKED.has(grade)).length,
    judged: lines.filter(({ grade }) => grade !== undefined).length,
    tokens: sum(({ tokens = 0 }) => tokens),
    cost: sum(({ cost = 0 }) => cost),
  };
}

function startOf(unit: TrendUnit, at: number): Date {
  const date = new Date(at);
  date.setHours(0, 0, 0, 0);
  // A week begins on Monday.
  if (unit === "week") date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  if (unit === "month") date.setDate(1);
  return date;
}

function nextOf(unit: TrendUnit, start: Date): Date {
  const date = new Date(start);
  if (unit === "month") date.setMonth(date.getMonth() + 1);
  else date.setDate(date.getDate() + (unit === "week" ? 7 : 1));
  return date;
}
