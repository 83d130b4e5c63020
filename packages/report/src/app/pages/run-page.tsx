import type { JSX } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import { filterRows, type RowFilter } from "../../views/filter-rows.ts";
import { EventSection } from "../events/event-section.tsx";
import { FindingSections } from "../events/finding-sections.tsx";
import { PhasePanel } from "./phase-panel.tsx";
import { ReviewForm } from "./review-form.tsx";
import { hrefOf } from "../route.ts";
import { RunHead } from "./run-head.tsx";
import type { Source } from "../sources/source.ts";
import { workRows } from "../../views/work-rows.ts";
import { ClaimSection, WorkSection } from "./work-section.tsx";
import { TimelineChart } from "../timeline/timeline-chart.tsx";
import { useEvents } from "../events/use-events.ts";
import { useKeys } from "../parts/use-keys.ts";
import { useOverview } from "../sources/use-overview.ts";

/** The page of one run: verdict, timeline, findings, cost and every event. */
export function RunPage({
  source,
  run,
  seq,
}: {
  readonly source: Source;
  readonly run: string;
  readonly seq: number | undefined;
}): JSX.Element {
  const loaded = useEvents(source, run);
  const { overview, error } = useOverview(source, run, loaded.version);
  const [filter, setFilter] = useState<RowFilter>({});
  const [entry, setEntry] = useState<number>();
  const work = useMemo(() => workRows(loaded.events), [loaded.version]);
  const shown = useMemo(() => filterRows(loaded.rows, loaded.texts, filter), [loaded.version, filter]);
  const select = useCallback(
    (next: number): void => {
      location.hash = hrefOf({ page: "run", run, seq: next });
    },
    [run],
  );
  const step = (by: number): void => {
    const at = shown.findIndex((index) => loaded.rows[index]?.seq === seq);
    const index = shown[at === -1 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))];
    const row = index === undefined ? undefined : loaded.rows[index];
    if (row !== undefined) select(row.seq);
  };
  const close = (): void => {
    location.hash = hrefOf({ page: "run", run });
  };
  const jump = (by: 1 | -1): void => {
    const seqs = (overview?.loops ?? []).map(({ firstSeq }) => firstSeq);
    const next = by === 1 ? seqs.find((at) => at > (seq ?? 0)) : seqs.findLast((at) => at < (seq ?? Infinity));
    if (next !== undefined) select(next);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    "]": () => jump(1),
    "[": () => jump(-1),
    // The innermost first: the event, then the phase.
    Escape: () => (seq === undefined ? setEntry(undefined) : close()),
    "/": () => document.getElementById("search")?.focus(),
  });

  if (overview === undefined) return <p role="status">{error ?? "Loading the run…"}</p>;
  const { bars } = overview.timeline;
  const bar = bars.find(({ firstSeq }) => firstSeq === entry);
  return (
    <>
      <RunHead overview={overview} />
      {overview.reviews.map((review) => (
        <ReviewForm
          key={review.review}
          review={review}
          answer={source.answer === undefined ? undefined : (answer) => source.answer?.(run, review.review, answer)}
        />
      ))}
      <section aria-labelledby="timeline-title" class={bar === undefined ? undefined : "with-panel"}>
        <div class="card">
          <TimelineChart
            timeline={overview.timeline}
            title={
              <>
                <h2 id="timeline-title">Timeline</h2>
                <span class="quiet">Click a phase to look inside. Drag to zoom.</span>
              </>
            }
            events={loaded.events}
            chosen={entry}
            onEvent={select}
            onEntry={({ firstSeq }) => setEntry(firstSeq === entry ? undefined : firstSeq)}
          />
        </div>
        {bar === undefined ? null : (
          <PhasePanel
            run={run}
            bar={bar}
            timed={overview.timeline.axis === "time"}
            events={loaded.events}
            version={loaded.version}
            onStep={(by) => setEntry((bars[bars.indexOf(bar) + by] ?? bar).firstSeq)}
            onClose={() => setEntry(undefined)}
          />
        )}
      </section>
      <ClaimSection work={work} run={run} />
      <FindingSections overview={overview} run={run}>
        <WorkSection work={work} run={run} />
      </FindingSections>
      <EventSection
        run={run}
        loaded={loaded}
        shown={shown}
        filter={filter}
        seq={seq}
        start={overview.line.startedAt}
        isTimed={overview.timeline.axis === "time"}
        isGrowing={source.index.live && overview.line.state === "running"}
        isLive={source.index.live}
        onFilter={setFilter}
        onSelect={select}
        onStep={step}
        onClose={close}
      />
    </>
  );
}
