import type { JSX } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import { filterRows, type RowFilter } from "../../views/filter-rows.ts";
import type { Overview } from "../../views/overview.ts";
import { EventSection } from "../events/event-section.tsx";
import { FindingSections } from "../events/finding-sections.tsx";
import { ReviewForm } from "./review-form.tsx";
import { hrefOf } from "../route.ts";
import { RunHead } from "./run-head.tsx";
import type { Source } from "../sources/source.ts";
import { workRows } from "../../views/work/work-rows.ts";
import { ClaimSection, WorkSection } from "./work-section.tsx";
import { RunTimeline } from "./run-timeline.tsx";
import { type LoadedEvents, useEvents } from "../events/use-events.ts";
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
  const place = usePlace(run, { seq, loaded, shown });
  useRunKeys(place, { seq, loops: overview?.loops ?? [], leavePhase: () => setEntry(undefined) });

  if (overview === undefined) return <p role="status">{error ?? "Loading the run…"}</p>;
  return (
    <>
      <RunHead overview={overview} parent={source.index.runs.find(({ line }) => line.run === overview.line.parent)} />
      {overview.reviews.map((review) => (
        <ReviewForm
          key={review.review}
          review={review}
          answer={source.answer === undefined ? undefined : (answer) => source.answer?.(run, review.review, answer)}
        />
      ))}
      <RunTimeline
        run={run}
        timeline={overview.timeline}
        loaded={loaded}
        entry={entry}
        onEvent={place.select}
        onEntry={setEntry}
      />
      <ClaimSection work={work} run={run} />
      <FindingSections overview={overview} run={run} known={source.index.runs}>
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
        onSelect={place.select}
        onStep={place.step}
        onClose={place.close}
      />
    </>
  );
}

/** The ways to go from event to event. */
interface Place {
  readonly select: (seq: number) => void;
  /** Moves by a number of the rows that are shown. */
  readonly step: (by: number) => void;
  readonly close: () => void;
}

function usePlace(
  run: string,
  {
    seq,
    loaded,
    shown,
  }: { readonly seq: number | undefined; readonly loaded: LoadedEvents; readonly shown: readonly number[] },
): Place {
  const select = useCallback(
    (next: number): void => {
      location.hash = hrefOf({ page: "run", run, seq: next });
    },
    [run],
  );
  return {
    select,
    step: (by) => {
      const at = shown.findIndex((index) => loaded.rows[index]?.seq === seq);
      const index = shown[at === -1 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))];
      const row = index === undefined ? undefined : loaded.rows[index];
      if (row !== undefined) select(row.seq);
    },
    close: () => {
      location.hash = hrefOf({ page: "run", run });
    },
  };
}

function useRunKeys(
  { select, step, close }: Place,
  {
    seq,
    loops,
    leavePhase,
  }: { readonly seq: number | undefined; readonly loops: Overview["loops"]; readonly leavePhase: () => void },
): void {
  const jump = (by: 1 | -1): void => {
    const seqs = loops.map(({ firstSeq }) => firstSeq);
    const next = by === 1 ? seqs.find((at) => at > (seq ?? 0)) : seqs.findLast((at) => at < (seq ?? Infinity));
    if (next !== undefined) select(next);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    "]": () => jump(1),
    "[": () => jump(-1),
    // The innermost first: the event, then the phase.
    Escape: () => (seq === undefined ? leavePhase() : close()),
    "/": () => document.getElementById("search")?.focus(),
  });
}
