import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { costText, count, percent, plural, tokens } from "../../views/number-text.ts";
import type { RunLine } from "../../views/run-line.ts";
import { type Trend, type TrendBucket, trendOf } from "../../views/folder/trend.ts";

interface Measure {
  readonly name: string;
  readonly weigh: (bucket: TrendBucket) => number;
  readonly show: (weight: number) => string;
}

const RUNS: Measure = { name: "Runs", weigh: ({ runs }) => runs, show: count };
const MEASURES: readonly Measure[] = [
  RUNS,
  {
    name: "Proven or supported",
    weigh: ({ backed, judged }) => (judged === 0 ? 0 : backed / judged),
    show: percent,
  },
  { name: "Tokens", weigh: ({ tokens: used }) => used, show: tokens },
  { name: "Cost", weigh: ({ cost }) => cost, show: (cost) => costText({ cost, unpricedCalls: 0 }) },
];
const TONES = ["bad", "fair", "plain", "good"] as const;

/** The days a reader looks at; empty for any. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** Runs over time: a column for each day, week or month. A click on one shows only its runs. */
export function TrendChart({
  lines,
  range,
  onRange,
}: {
  readonly lines: readonly RunLine[];
  readonly range: DayRange;
  readonly onRange: (range: DayRange) => void;
}): JSX.Element | null {
  const [name, setName] = useState(RUNS.name);
  const trend = useMemo(() => trendOf(lines), [lines]);
  const measure = MEASURES.find((each) => each.name === name) ?? RUNS;
  const { buckets, unit } = trend;
  if (buckets.length < 2) return null;
  const most = Math.max(...buckets.map(measure.weigh));
  return (
    <section class="card trend" aria-labelledby="trend-title">
      <header>
        <h2 id="trend-title">{`${measure.name} by ${unit}`}</h2>
        <label>
          <span class="quiet">Show</span>
          <select value={name} onChange={({ currentTarget: { value } }) => setName(value)}>
            {MEASURES.map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
          </select>
        </label>
      </header>
      <p class="trend-top quiet">{measure.show(most)}</p>
      <div class="trend-columns" role="group" aria-label={`${measure.name} by ${unit}`}>
        {buckets.map((bucket) => (
          <TrendColumn
            key={bucket.from}
            bucket={bucket}
            measure={measure}
            share={most === 0 ? 0 : measure.weigh(bucket) / most}
            isChosen={range.from === bucket.from && range.to === bucket.to}
            onRange={onRange}
          />
        ))}
      </div>
      <p class="trend-axis quiet">
        <span>{dayText(buckets[0]?.from)}</span>
        <span>{noteOf(trend)}</span>
        <span>{dayText(buckets.at(-1)?.to)}</span>
      </p>
    </section>
  );
}

function TrendColumn({
  bucket,
  measure,
  share,
  isChosen,
  onRange,
}: {
  readonly bucket: TrendBucket;
  readonly measure: Measure;
  readonly share: number;
  readonly isChosen: boolean;
  readonly onRange: (range: DayRange) => void;
}): JSX.Element {
  const { from, to, runs, tones } = bucket;
  const text = `${from === to ? dayText(from) : `${dayText(from)} to ${dayText(to)}`}: ${sumText(bucket, measure)}`;
  return (
    <button
      type="button"
      title={text}
      aria-label={text}
      aria-pressed={isChosen}
      disabled={runs === 0}
      onClick={() => onRange(isChosen ? { from: "", to: "" } : { from, to })}
    >
      <span style={{ height: `${String(Math.max(runs === 0 ? 0 : 2, share * 100))}%` }}>
        {measure === RUNS ? (
          TONES.map((tone) =>
            tones[tone] === 0 ? null : <i key={tone} class={`tone-${tone}`} style={{ flexGrow: tones[tone] }} />,
          )
        ) : (
          <i class="trend-plain" style={{ flexGrow: 1 }} />
        )}
      </span>
    </button>
  );
}

function sumText(bucket: TrendBucket, measure: Measure): string {
  const { runs, backed, judged } = bucket;
  return [
    plural(runs, "run"),
    ...(judged === 0 ? [] : [`${count(backed)} of ${count(judged)} proven or supported`]),
    ...(measure.name === "Tokens" || measure.name === "Cost" ? [measure.show(measure.weigh(bucket))] : []),
  ].join(", ");
}

const noteOf = ({ undated }: Trend): string => (undated === 0 ? "" : `${plural(undated, "run")} without a time`);

function dayText(day = ""): string {
  const date = new Date(`${day}T00:00`);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleDateString("en-GB", { dateStyle: "medium" });
}
