import type { JSX } from "preact";
import type { RowFilter } from "../../views/filter-rows.ts";
import { count } from "../../views/number-text.ts";
import { EventDetail } from "./event-detail.tsx";
import { EventList } from "./event-list.tsx";
import { FilterBar } from "./filter-bar.tsx";
import type { LoadedEvents } from "./use-events.ts";

/** Every event of the run: search, filters, and the chosen one beside the list. */
export function EventSection({
  run,
  loaded,
  shown,
  filter,
  seq,
  start,
  isTimed,
  isGrowing,
  isLive,
  onFilter,
  onSelect,
  onStep,
  onClose,
}: {
  readonly run: string;
  readonly loaded: LoadedEvents;
  /** Indexes of the rows that pass the filter. */
  readonly shown: readonly number[];
  readonly filter: RowFilter;
  readonly seq: number | undefined;
  readonly start: number;
  /** False if the log has no usable times. */
  readonly isTimed: boolean;
  /** True while an agent adds events. */
  readonly isGrowing: boolean;
  readonly isLive: boolean;
  readonly onFilter: (filter: RowFilter) => void;
  readonly onSelect: (seq: number) => void;
  readonly onStep: (by: number) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const event = seq === undefined ? undefined : loaded.events[seq - 1];
  return (
    <section aria-labelledby="events-title" class="event-section card">
      <header>
        <h2 id="events-title">Events</h2>
        <p role="status" class="quiet">
          {[
            `${count(shown.length)} of ${count(loaded.rows.length)} events`,
            loaded.complete || isLive ? "" : ", still loading",
            loaded.error === undefined ? "" : `. ${loaded.error}`,
          ].join("")}
        </p>
      </header>
      <FilterBar rows={loaded.rows} version={loaded.version} filter={filter} onChange={onFilter} />
      <div class={event === undefined ? undefined : "with-detail"}>
        <EventList
          rows={loaded.rows}
          shown={shown}
          selected={seq}
          start={isTimed ? start : undefined}
          isGrowing={isGrowing && seq === undefined}
          onSelect={onSelect}
          onStep={onStep}
        />
        {event === undefined ? null : <EventDetail event={event} run={run} onClose={onClose} />}
      </div>
    </section>
  );
}
