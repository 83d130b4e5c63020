import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { compareRuns } from "../../views/compare-runs.ts";
import type { Overview } from "../../views/overview.ts";
import { aboutText } from "../../views/run-line.ts";
import { DataTable } from "../parts/data-table.tsx";
import { InlineCode } from "../parts/inline-code.tsx";
import { OutcomePill } from "../parts/outcome-pill.tsx";
import { PhasePairs } from "./phase-pairs.tsx";
import { hrefOf } from "../route.ts";
import type { Source } from "../sources/source.ts";
import { TimelineChart } from "../timeline/timeline-chart.tsx";

/** Compares two runs: their outcomes, on one axis, phase by phase and measure by measure. */
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
  const phases = [...new Set(both.flatMap(({ timeline }) => timeline.bars.map(({ phase }) => phase)))];
  const isOneTask = left.line.title === right.line.title;
  const sides = both.map((overview, index) => ({
    overview,
    letter: index === 0 ? "A" : "B",
    name: isOneTask ? overview.line.run : overview.line.title,
  }));
  return (
    <>
      <header class="head">
        <p class="quiet head-about">Comparison of two runs</p>
        <h1>{isOneTask ? left.line.title : "Two runs side by side"}</h1>
        <div class="sides">
          {sides.map(({ overview, letter, name }) => (
            <RunSide key={letter} overview={overview} letter={letter} name={name} />
          ))}
        </div>
      </header>
      {sides.map(({ overview, letter, name }) => (
        <div key={letter} class="card">
          <TimelineChart
            timeline={overview.timeline}
            phases={phases}
            title={
              <>
                <b class="letter">{letter}</b> <span class="clip">{name}</span>
              </>
            }
            {...(sameAxis && { length })}
          />
        </div>
      ))}
      <section class="card" aria-labelledby="pairs-title">
        <h2 id="pairs-title">Phase by phase</h2>
        <PhasePairs left={left.spend.rows} right={right.spend.rows} />
      </section>
      <section class="card" aria-labelledby="measures-title">
        <h2 id="measures-title">Measures</h2>
        <DataTable
          caption="Measures"
          rows={compareRuns(left, right)}
          keyOf={({ what }) => what}
          columns={[
            { name: "Measure", show: ({ what }) => <span class="quiet">{what}</span> },
            { name: "A", show: (row) => <Measured text={row.a} isBetter={row.better === "a"} /> },
            { name: "B", show: (row) => <Measured text={row.b} isBetter={row.better === "b"} /> },
          ]}
        />
        <p class="quiet notes">Green: less than the other.</p>
      </section>
    </>
  );
}

function Measured({ text, isBetter }: { readonly text: string; readonly isBetter: boolean }): JSX.Element {
  return isBetter ? <strong class="better">{text}</strong> : <>{text}</>;
}

function RunSide({
  overview: { line, verdict },
  letter,
  name,
}: {
  readonly overview: Overview;
  readonly letter: string;
  readonly name: string;
}): JSX.Element {
  return (
    <div class="card side">
      <p class="head-about">
        <b class="letter">{letter}</b>
        <OutcomePill line={line} />
        <span class="quiet">{aboutText(line)}</span>
      </p>
      <h2>
        <a href={hrefOf({ page: "run", run: line.run })}>{name}</a>
      </h2>
      <p class="side-sums">{verdict.at(-1)?.answer}</p>
      <p class="quiet">
        <InlineCode text={verdict[1]?.text ?? ""} />
      </p>
    </div>
  );
}
