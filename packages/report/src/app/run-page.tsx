import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { filterRows, type RowFilter } from "../views/filter-rows.ts";
import { duration, percent, tokens } from "../views/number-text.ts";
import type { Overview } from "../views/overview.ts";
import { overviewToMarkdown } from "../views/overview-to-markdown.ts";
import { CopyButton } from "./copy-button.tsx";
import { EventList } from "./event-list.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { FindingTables } from "./finding-tables.tsx";
import { Gantt } from "./gantt.tsx";
import { ReviewForm } from "./review-form.tsx";
import { hrefOf } from "./route.ts";
import type { Source } from "./source.ts";
import { useKeys } from "./use-keys.ts";
import { useEvents } from "./use-events.ts";

const REFRESH_MS = 1000;

/** One run: where its time went, where it looped, why it stopped, and every event. */
export function RunPage({ source, run, seq }: { readonly source: Source; readonly run: string; readonly seq: number | undefined }): JSX.Element {
  const loaded = useEvents(source, run);
  const { overview, error } = useOverview(source, run, loaded.version);
  const [filter, setFilter] = useState<RowFilter>({});
  const shown = useMemo(() => filterRows(loaded.rows, loaded.texts, filter), [loaded.version, filter]);
  const select = useCallback((next: number): void => {
    location.hash = hrefOf({ page: "run", run, seq: next });
  }, [run]);
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
  useKeys({ j: () => step(1), k: () => step(-1), "]": () => jump(1), "[": () => jump(-1), "/": () => document.getElementById("search")?.focus() });

  if (overview === undefined) return <p role="status">{error ?? "Reading the run…"}</p>;
  const event = seq === undefined ? undefined : loaded.events[seq - 1];
  return (
    <>
      <Head overview={overview} />
      {overview.reviews.map((review) => <ReviewForm key={review.review} review={review} answer={source.answer === undefined ? undefined : (answer) => source.answer?.(run, review.review, answer)} />)}
      <section aria-label="Timeline"><Gantt timeline={overview.timeline} title="Phases and what happened." onPick={select} /></section>
      <FindingTables overview={overview} run={run} />
      <section aria-labelledby="events-title" class="event-section">
        <h2 id="events-title">Events</h2>
        <FilterBar rows={loaded.rows} version={loaded.version} filter={filter} onChange={setFilter} />
        <p role="status" class="quiet">{`${String(shown.length)} of ${String(loaded.rows.length)} events${loaded.complete || source.index.live ? "" : ", still reading"}${loaded.error === undefined ? "" : `. ${loaded.error}`}`}</p>
        <EventList rows={loaded.rows} shown={shown} selected={seq} start={overview.line.startedAt} onSelect={select} />
        {event === undefined ? null : (
          <section class="detail" aria-label={`Event ${String(event.seq)}`}>
            <h3>{`Event ${String(event.seq)}: ${event.type}`} <a href={hrefOf({ page: "run", run, seq: event.seq })}>permalink</a></h3>
            <pre tabIndex={0}>{withoutTricks(JSON.stringify(event, undefined, 2))}</pre>
          </section>
        )}
      </section>
    </>
  );
}

function Head({ overview }: { readonly overview: Overview }): JSX.Element {
  const { line, spend, failure } = overview;
  const facts: readonly (readonly [string, string])[] = [
    ["Time worked", duration(line.elapsed)],
    ["Turns", String(spend.total.turns)],
    ["Tool calls", String(line.calls)],
    ["Tokens", line.tokens === undefined ? "unknown" : tokens(line.tokens)],
    ...(line.cost === undefined ? [] : [["Cost", String(Number(line.cost.toFixed(4)))] as const]),
    ["Brought nothing", `${String(line.wastedCalls)} calls${line.calls === 0 ? "" : `, ${percent(line.wastedCalls / line.calls)}`}`],
    ["Loops", String(line.loops)],
    ["Verified", line.verified ? "yes" : "no"],
  ];
  return (
    <header class="head">
      <h1>{line.title}</h1>
      <p class="verdict"><strong class={`state state-${line.state.replaceAll(" ", "-")}`}>{line.state}</strong> {failure ?? line.reason ?? ""} in {overview.phase}{overview.attempt > 1 ? `, attempt ${String(overview.attempt)}` : ""}</p>
      <p>{overview.explanation}</p>
      {overview.error === undefined ? null : <p class="error">{overview.error}</p>}
      <dl class="facts">{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      <CopyButton label="Copy as Markdown" text={() => overviewToMarkdown(overview)} />
    </header>
  );
}

/** The overview of a run; with a server it is asked for again when events came in, at most once a second. */
function useOverview(source: Source, run: string, version: number): { readonly overview?: Overview; readonly error?: string } {
  const [state, setState] = useState<{ overview?: Overview; error?: string }>({});
  useEffect(() => {
    let gone = false;
    const ask = (): void => {
      source.overview(run).then(
        (overview) => { if (!gone) setState({ overview }); },
        (error: unknown) => { if (!gone) setState((before) => ({ ...before, error: `This run cannot be shown. ${String(error)}` })); },
      );
    };
    if (!source.index.live) {
      if (version === 0) ask();
      return () => { gone = version === 0 ? gone : true; };
    }
    const timer = setTimeout(ask, version === 0 ? 0 : REFRESH_MS);
    return () => { gone = true; clearTimeout(timer); };
  }, [source, run, source.index.live ? version : 0]);
  return state;
}

/** JSON as it is, but with characters that reorder or hide text written as escapes. */
function withoutTricks(json: string): string {
  return json.replace(/[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
