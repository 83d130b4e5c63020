import type { JSX } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import { filterRows, type RowFilter } from "../views/filter-rows.ts";
import { plural } from "../views/number-text.ts";
import type { Overview } from "../views/overview.ts";
import { overviewToMarkdown } from "../views/overview-to-markdown.ts";
import { stateWords } from "../views/state-words.ts";
import { CopyButton } from "./copy-button.tsx";
import { EventList } from "./event-list.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { FindingTables } from "./finding-tables.tsx";
import { PhasePanel } from "./phase-panel.tsx";
import { ReviewForm } from "./review-form.tsx";
import { hrefOf } from "./route.ts";
import type { Source } from "./source.ts";
import { TimelineChart } from "./timeline-chart.tsx";
import { useEvents } from "./use-events.ts";
import { useKeys } from "./use-keys.ts";
import { useOverview } from "./use-overview.ts";
import { VerdictCards } from "./verdict-cards.tsx";

/** The page of one run: timeline, alerts, gates, cost and every event. */
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
    Escape: () => setEntry(undefined),
    "/": () => document.getElementById("search")?.focus(),
  });

  if (overview === undefined) return <p role="status">{error ?? "Loading the run…"}</p>;
  const event = seq === undefined ? undefined : loaded.events[seq - 1];
  const bar = overview.timeline.bars.find(({ firstSeq }) => firstSeq === entry);
  return (
    <>
      <Head overview={overview} />
      {overview.reviews.map((review) => (
        <ReviewForm
          key={review.review}
          review={review}
          answer={source.answer === undefined ? undefined : (answer) => source.answer?.(run, review.review, answer)}
        />
      ))}
      <section aria-label="Timeline" class={bar === undefined ? undefined : "with-panel"}>
        <TimelineChart
          timeline={overview.timeline}
          title="Click a phase to look inside. Drag to zoom."
          events={loaded.events}
          chosen={entry}
          onEvent={select}
          onEntry={({ firstSeq }) => setEntry(firstSeq === entry ? undefined : firstSeq)}
        />
        {bar === undefined ? null : (
          <PhasePanel
            run={run}
            bar={bar}
            timed={overview.timeline.axis === "time"}
            events={loaded.events}
            version={loaded.version}
            onClose={() => setEntry(undefined)}
          />
        )}
      </section>
      <FindingTables overview={overview} run={run} />
      <section aria-labelledby="events-title" class="event-section">
        <h2 id="events-title">Events</h2>
        <FilterBar rows={loaded.rows} version={loaded.version} filter={filter} onChange={setFilter} />
        <p role="status" class="quiet">
          {[
            `${String(shown.length)} of ${String(loaded.rows.length)} events`,
            loaded.complete || source.index.live ? "" : ", still loading",
            loaded.error === undefined ? "" : `. ${loaded.error}`,
          ].join("")}
        </p>
        <EventList rows={loaded.rows} shown={shown} selected={seq} start={overview.line.startedAt} onSelect={select} />
        {event === undefined ? null : (
          <section class="detail" aria-label={`Event ${String(event.seq)}`}>
            <h3>
              {`Event ${String(event.seq)}: ${event.type}`}{" "}
              <a href={hrefOf({ page: "run", run, seq: event.seq })}>permalink</a>
            </h3>
            <pre tabIndex={0}>{escapeInvisible(JSON.stringify(event, undefined, 2))}</pre>
          </section>
        )}
      </section>
    </>
  );
}

function Head({ overview }: { readonly overview: Overview }): JSX.Element {
  const { line, spend, attempt, mode } = overview;
  const { words, tone } = stateWords[line.state];
  const measures: readonly string[] = [
    plural(spend.total.turns, "turn"),
    plural(line.calls, "call"),
    `mode ${mode}`,
    ...(attempt > 1 ? [`attempt ${String(attempt)}`] : []),
    `started ${new Date(line.startedAt).toISOString().slice(0, 16).replace("T", " ")} UTC`,
  ];
  return (
    <header class="head">
      <h1>{line.title}</h1>
      <p class="quiet">
        <strong class={`state tone-${tone}`}>{words}</strong>
        {` · ${measures.join(" · ")}`}
      </p>
      <VerdictCards verdict={overview.verdict} />
      {overview.error === undefined ? null : <p class="error">{overview.error}</p>}
      <CopyButton label="Copy as Markdown" text={() => overviewToMarkdown(overview)} />
    </header>
  );
}

/** Escapes characters that reorder or hide text in JSON. */
function escapeInvisible(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
