import { words } from "@phasekit/ledger/story";
import { tableOf } from "@phasekit/core/adapter";
import type { JSX, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EventRow } from "../../views/event-rows.ts";
import { duration } from "../../views/number-text.ts";
import { phaseColor } from "../parts/phase-color.ts";

const ROW = 28;
const SPARE = 12;
const STEPS = tableOf<Readonly<Record<string, number>>>({ ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 });

/** A virtual list: only the visible rows are in the DOM. */
export function EventList({
  rows,
  shown,
  selected,
  start,
  isGrowing,
  onSelect,
  onStep,
}: {
  readonly rows: readonly EventRow[];
  /** Indexes into the rows. */
  readonly shown: readonly number[];
  readonly selected: number | undefined;
  /** The start of the run; times are relative to it. Absent if the log has no usable times. */
  readonly start: number | undefined;
  /** True while events arrive: the list follows them until the reader scrolls up. */
  readonly isGrowing: boolean;
  readonly onSelect: (seq: number) => void;
  /** Moves the selection by a number of rows. */
  readonly onStep: (by: number) => void;
}): JSX.Element {
  const { box, isAtEnd, top, height, setTop } = useListView({ rows, shown, selected, isGrowing });
  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const last = Math.min(shown.length, Math.ceil((top + height) / ROW) + SPARE);
  return (
    <div
      class={`events${start === undefined ? " untimed" : ""}`}
      ref={box}
      role="grid"
      tabIndex={0}
      aria-label="Events"
      aria-rowcount={shown.length}
      onKeyDown={(event) => {
        const by = STEPS[event.key];
        if (by === undefined) return;
        event.preventDefault();
        onStep(by);
      }}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        setTop(scrollTop);
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 2 * ROW;
      }}
    >
      <div role="rowgroup" style={{ height: `${String(shown.length * ROW)}px`, position: "relative" }}>
        {shown.slice(first, last).map((index, offset) => {
          const row = rows[index];
          return row === undefined ? null : (
            <Row
              key={row.seq}
              row={row}
              start={start}
              place={first + offset}
              chosen={row.seq === selected}
              onSelect={onSelect}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The visible part of the list. It shows the selected row, and follows new rows while the reader is at the end. */
function useListView({
  rows,
  shown,
  selected,
  isGrowing,
}: {
  readonly rows: readonly EventRow[];
  readonly shown: readonly number[];
  readonly selected: number | undefined;
  readonly isGrowing: boolean;
}): {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: { current: boolean };
  readonly top: number;
  readonly height: number;
  readonly setTop: (top: number) => void;
} {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(480);
  useEffect(() => {
    const measure = (): void => setHeight(box.current?.clientHeight ?? 480);
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  useEffect(() => {
    if (selected === undefined || box.current === null) return;
    const place = shown.findIndex((index) => rows[index]?.seq === selected) * ROW;
    if (place < 0) return;
    const { scrollTop, clientHeight } = box.current;
    if (place < scrollTop || place + ROW > scrollTop + clientHeight)
      box.current.scrollTop = Math.max(0, place - clientHeight / 2);
  }, [selected, shown]);
  useEffect(() => {
    if (isGrowing && isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [shown.length, isGrowing]);
  return { box, isAtEnd, top, height, setTop };
}

function Row({
  row,
  place,
  chosen,
  start,
  onSelect,
}: {
  readonly row: EventRow;
  readonly place: number;
  readonly chosen: boolean;
  readonly start: number | undefined;
  readonly onSelect: (seq: number) => void;
}): JSX.Element {
  return (
    <div
      role="row"
      class={[
        `event kind-${row.kind}`,
        row.outcome === undefined ? "" : ` outcome-${row.outcome}`,
        chosen ? " chosen" : "",
      ].join("")}
      style={{ top: `${String(place * ROW)}px`, borderLeftColor: phaseColor(row.phase) }}
      aria-rowindex={place + 1}
      aria-selected={chosen}
      data-seq={row.seq}
      onClick={() => onSelect(row.seq)}
    >
      <span role="gridcell" class="seq">
        {row.seq}
      </span>
      {start === undefined ? null : (
        <span role="gridcell" class="at">
          {duration(row.at - start)}
        </span>
      )}
      <span role="gridcell" class="phase">
        {row.phase}
      </span>
      <span role="gridcell" class="type">
        {row.type}
      </span>
      <span role="gridcell" class="text">
        {words.shortPaths(row.text)}
      </span>
    </div>
  );
}
