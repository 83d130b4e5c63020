import type { RunEvent } from "@phasekit/core";
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { axisTicks, type Tick } from "../../views/axis-ticks.ts";
import { clusterMarks } from "../../views/cluster-marks.ts";
import { duration, plural } from "../../views/number-text.ts";
import { type AxisRange, type PhaseBar, type Slice, sliceEvents, type Timeline } from "../../views/timeline.ts";
import { DensityChart } from "./density-chart.tsx";
import { MarkIcon } from "../parts/mark-icon.tsx";
import { phaseColor } from "../parts/phase-color.ts";
import { type Lane, lanesOf, legendOf, markText } from "./timeline-lanes.ts";
import { TimelineTip } from "./timeline-tip.tsx";
import { type Hover, useHover } from "./use-hover.ts";
import { useZoom, type Zoom } from "./use-zoom.ts";
import { ZoomButtons } from "./zoom-buttons.tsx";

/** Maximum length of a phase name beside its bar. */
const NAME = 30;
/** Marks of one kind closer than this share of the axis are drawn as one. */
const CLUSTER = 0.012;
/** A margin on both sides, so that the first and the last mark are drawn whole. In percent. */
const MARGIN = 0.6;
const INNER = 98.4;

/** The main instrument: phases, calls, tokens and marks of a run on one axis. Drag over a part to look closer. */
export function TimelineChart({
  timeline,
  length = timeline.length,
  phases = [...new Set(timeline.bars.map(({ phase }) => phase))],
  title,
  events = [],
  chosen,
  onEvent,
  onEntry,
}: {
  readonly timeline: Timeline;
  /** The length of a shared axis. */
  readonly length?: number;
  /** The rows; two charts with the same rows can be compared. */
  readonly phases?: readonly string[];
  readonly title: ComponentChildren;
  /** The events of the run, to count calls anew in a zoomed part. */
  readonly events?: readonly RunEvent[];
  /** The chosen entry, by its first event. */
  readonly chosen?: number | undefined;
  readonly onEvent?: (seq: number) => void;
  readonly onEntry?: (bar: PhaseBar) => void;
}): JSX.Element {
  const zoom = useZoom(length);
  const { hover, handlers } = useHover();
  const { from, to } = zoom.range;
  const left = (at: number): number => MARGIN + ((at - from) / (to - from)) * INNER;
  const lanes = lanesOf(timeline);
  const ticks = axisTicks(timeline.axis, zoom.range);
  const density = useDensity(timeline, { events, zoom, left });
  const legend = legendOf(timeline, lanes);
  return (
    <figure class="timeline">
      <figcaption>
        <span>{title}</span>
        <ZoomButtons zoom={zoom} />
      </figcaption>
      <p class="hidden">{describe(timeline)}</p>
      <div class="timeline-grid">
        <RowNames phases={phases} measures={density.measures} lanes={lanes} />
        <div class="timeline-plot" {...zoom.handlers} {...handlers}>
          {ticks.map(({ at }) => (
            <i key={at} class="grid-line" style={{ left: `${String(left(at))}%` }} />
          ))}
          {phases.map((phase) => (
            <PhaseRow
              key={phase}
              bars={timeline.bars.filter((bar) => bar.phase === phase && bar.to >= from && bar.from <= to)}
              timeline={timeline}
              left={left}
              chosen={chosen}
              onEntry={onEntry}
            />
          ))}
          {density.measures.map(([measure]) => (
            <div key={measure} class="row-density">
              <DensityChart slices={density.slices} measure={measure} {...density.place} />
            </div>
          ))}
          {lanes.map((lane) => (
            <MarkRow key={lane.kind} lane={lane} range={zoom.range} left={left} onEvent={onEvent} />
          ))}
          {zoom.brush === undefined ? null : (
            <i class="brush" style={{ left: `${String(zoom.brush.left)}%`, width: `${String(zoom.brush.width)}%` }} />
          )}
          {hover === undefined || zoom.brush !== undefined ? null : (
            <HoverTip hover={hover} timeline={timeline} range={zoom.range} density={density} left={left} />
          )}
        </div>
        <span class="timeline-unit">{timeline.axis === "time" ? "time" : "event"}</span>
        <AxisLabels ticks={ticks} left={left} />
      </div>
      {legend.length === 0 ? null : <p class="quiet notes">{legend.join(" ")}</p>}
    </figure>
  );
}

/** The place of a point of the axis, in percent of the plot. */
type ToLeft = (at: number) => number;

function AxisLabels({ ticks, left }: { readonly ticks: readonly Tick[]; readonly left: ToLeft }): JSX.Element {
  return (
    <div class="timeline-axis">
      {ticks.map(({ at, label }) => (
        <span key={at} class={left(at) > 94 ? "last" : undefined} style={{ left: `${String(left(at))}%` }}>
          {label}
        </span>
      ))}
    </div>
  );
}

type Measures = readonly (readonly ["calls" | "tokens", string])[];

/** The columns of calls and tokens, counted anew in a zoomed part. */
interface Density {
  readonly slices: readonly Slice[];
  readonly measures: Measures;
  /** In percent of the plot. */
  readonly place: { readonly left: number; readonly width: number };
}

function useDensity(
  timeline: Timeline,
  { events, zoom, left }: { readonly events: readonly RunEvent[]; readonly zoom: Zoom; readonly left: ToLeft },
): Density {
  const { from, to } = zoom.range;
  const zoomed = useMemo(
    () => (zoom.isWhole || events.length === 0 ? undefined : sliceEvents(events, { from, to })),
    [from, to, events.length],
  );
  const slices = zoomed ?? timeline.slices;
  const [start, end] = zoomed === undefined ? [0, timeline.length] : [from, to];
  return {
    slices,
    measures: [
      ["calls", "tool calls"] as const,
      ...(slices.some(({ tokens }) => tokens > 0) ? [["tokens", "tokens"] as const] : []),
    ],
    place: { left: left(start), width: left(end) - left(start) },
  };
}

function RowNames({
  phases,
  measures,
  lanes,
}: {
  readonly phases: readonly string[];
  readonly measures: Measures;
  readonly lanes: readonly Lane[];
}): JSX.Element {
  return (
    <ul class="timeline-names">
      {phases.map((phase) => (
        <li key={phase} title={phase} class="row-phase">
          <i style={{ background: phaseColor(phase) }} />
          <span>{shortName(phase)}</span>
        </li>
      ))}
      {measures.map(([measure, name]) => (
        <li key={measure} class="row-density">
          {name}
        </li>
      ))}
      {lanes.map(({ kind, name, marks, idle }) => (
        <li key={kind} class="row-mark">
          <MarkIcon kind={kind} idle={idle} />
          <span>{name}</span>
          <b>{marks.length}</b>
        </li>
      ))}
    </ul>
  );
}

function PhaseRow({
  bars,
  timeline,
  left,
  chosen,
  onEntry,
}: {
  readonly bars: readonly PhaseBar[];
  readonly timeline: Timeline;
  readonly left: ToLeft;
  readonly chosen: number | undefined;
  readonly onEntry: ((bar: PhaseBar) => void) | undefined;
}): JSX.Element {
  return (
    <div class="row-phase">
      {bars.map((bar) => (
        <PhaseBarButton
          key={`${bar.entry}-${String(bar.attempt)}-${String(bar.firstSeq)}`}
          bar={bar}
          label={barText(timeline, bar)}
          left={left(bar.from)}
          width={left(bar.to) - left(bar.from)}
          chosen={bar.firstSeq === chosen}
          onEntry={onEntry}
        />
      ))}
    </div>
  );
}

function MarkRow({
  lane: { kind, name, marks: own },
  range: { from, to },
  left,
  onEvent,
}: {
  readonly lane: Lane;
  readonly range: AxisRange;
  readonly left: ToLeft;
  readonly onEvent: ((seq: number) => void) | undefined;
}): JSX.Element {
  const clusters = clusterMarks(
    own.filter(({ at }) => at >= from && at <= to),
    (to - from) * CLUSTER,
  );
  return (
    <div class="row-mark">
      {clusters.map(({ at, marks }) => (
        <button
          key={marks[0]?.seq}
          type="button"
          class="mark"
          style={{ left: `${String(left(at))}%` }}
          aria-label={markText(marks, name)}
          onClick={() => onEvent?.(marks[0]?.seq ?? 1)}
        >
          <MarkIcon kind={kind} idle={marks.every(({ applied }) => applied === false)} />
        </button>
      ))}
    </div>
  );
}

function HoverTip({
  hover: { share, label },
  timeline,
  range: { from, to },
  density: { slices, place },
  left,
}: {
  readonly hover: Hover;
  readonly timeline: Timeline;
  readonly range: AxisRange;
  readonly density: Density;
  readonly left: ToLeft;
}): JSX.Element {
  const at = from + ((share * 100 - MARGIN) / INNER) * (to - from);
  return (
    <TimelineTip
      share={share}
      at={placeText(timeline, at)}
      title={label ?? barsAt(timeline, at)}
      slice={slices[Math.floor(((left(at) - place.left) / place.width || 0) * slices.length)]}
    />
  );
}

function PhaseBarButton({
  bar,
  label,
  left,
  width,
  chosen,
  onEntry,
}: {
  readonly bar: PhaseBar;
  readonly label: string;
  readonly left: number;
  readonly width: number;
  readonly chosen: boolean;
  readonly onEntry: ((bar: PhaseBar) => void) | undefined;
}): JSX.Element {
  return (
    <button
      type="button"
      class={`bar bar-${bar.state}${chosen ? " chosen" : ""}`}
      style={{ left: `${String(left)}%`, width: `${String(width)}%`, background: phaseColor(bar.phase) }}
      aria-label={label}
      aria-pressed={onEntry === undefined ? undefined : chosen}
      aria-disabled={onEntry === undefined}
      onClick={() => onEntry?.(bar)}
    />
  );
}

function barText(timeline: Timeline, { entry, from, to, ended }: PhaseBar): string {
  return `${entry}: ${lengthText(timeline, to - from)}, ${ended ?? "still open"}`;
}

function lengthText({ axis }: Timeline, length: number): string {
  return axis === "time" ? duration(length) : plural(length, "event");
}

function placeText({ axis }: Timeline, at: number): string {
  return axis === "time" ? `at ${duration(Math.max(0, at))}` : `event ${String(Math.max(1, Math.round(at) + 1))}`;
}

function barsAt(timeline: Timeline, at: number): string {
  const bar = timeline.bars.findLast(({ from, to }) => from <= at && at <= to);
  return bar === undefined ? "waiting" : barText(timeline, bar);
}

/** Shortens a long name in the middle: long names often differ at the end. */
function shortName(phase: string): string {
  const letters = Array.from(phase);
  return letters.length <= NAME ? phase : `${letters.slice(0, NAME - 13).join("")}…${letters.slice(-12).join("")}`;
}

/** Returns the text alternative of the chart. */
function describe(timeline: Timeline): string {
  const { bars } = timeline;
  const spans = bars
    .slice(0, 40)
    .map(
      ({ phase, from, to, ended }) =>
        `${phase} for ${lengthText(timeline, to - from)}${ended === undefined ? "" : `, ${ended}`}`,
    );
  return `Phases in order: ${spans.join("; ")}${bars.length > 40 ? `; and ${String(bars.length - 40)} more` : ""}.`;
}
