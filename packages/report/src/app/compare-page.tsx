import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { compareRuns } from "../views/compare-runs.ts";
import type { Overview } from "../views/overview.ts";
import { DataTable } from "./data-table.tsx";
import { hrefOf } from "./route.ts";
import { PhasePairs } from "./phase-pairs.tsx";
import type { Source } from "./source.ts";
import { TimelineChart } from "./timeline-chart.tsx";

/** Compares two runs on one axis and measure by measure. */
export function ComparePage({
  source,
  a,
  b,
}: {
  readonly source: Source;
  readonly a: string;
  readonly b: string;
}): JSX.Element {
  const [both, setBoth] = useState<readonly [Overview, Overview]>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    Promise.all([source.overview(a), source.overview(b)]).then(setBoth, (reason: unknown) => setError(String(reason)));
  }, [source, a, b]);
  if (both === undefined)
    return <p role="status">{error === undefined ? "Loading the runs…" : `Cannot compare these runs. ${error}`}</p>;
  const [left, right] = both;
  const sameAxis = left.timeline.axis === right.timeline.axis;
  const length = Math.max(left.timeline.length, right.timeline.length);
  const titles =
    left.line.title === right.line.title
      ? ([`A: ${left.line.run}`, `B: ${right.line.run}`] as const)
      : ([`A: ${left.line.title}`, `B: ${right.line.title}`] as const);
  return (
    <>
      <header class="head">
        <h1>Comparison of two runs</h1>
        <p>
          <a href={hrefOf({ page: "run", run: a })}>{titles[0]}</a> and{" "}
          <a href={hrefOf({ page: "run", run: b })}>{titles[1]}</a>
        </p>
      </header>
      <TimelineChart timeline={left.timeline} title={titles[0]} {...(sameAxis && { length })} />
      <TimelineChart timeline={right.timeline} title={titles[1]} {...(sameAxis && { length })} />
      <h2>Phase by phase</h2>
      <PhasePairs left={left.spend.rows} right={right.spend.rows} />
      <h2>Measures</h2>
      <DataTable
        caption="Measures"
        rows={compareRuns(left, right)}
        keyOf={({ what }) => what}
        columns={[
          { name: "Measure", show: ({ what }) => what },
          { name: "A", show: (row) => (row.better === "a" ? <strong>{row.a} ✓</strong> : row.a) },
          { name: "B", show: (row) => (row.better === "b" ? <strong>{row.b} ✓</strong> : row.b) },
        ]}
      />
    </>
  );
}
