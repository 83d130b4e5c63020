import type { RunEvent } from "@phasekit/core";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { axisTicks } from "../views/axis-ticks.ts";
import { clusterMarks } from "../views/cluster-marks.ts";
import { duration, plural } from "../views/number-text.ts";
import { type MarkKind, type PhaseBar, sliceEvents, type Timeline } from "../views/timeline.ts";
import { DensityChart } from "./density-chart.tsx";
import { MarkIcon } from "./mark-icon.tsx";
import { phaseColor } from "./phase-color.ts";
import { useZoom } from "./use-zoom.ts";

/** Maximum length of a phase name beside its bar. */
const NAME = 30;
/** Marks of one kind closer than this share of the axis are drawn as one. */
const CLUSTER = 0.012;

const LANES: readonly (readonly [MarkKind, string])[] = [
  ["failed-call", "failed calls"],
  ["tests-fail", "tests failed"],
  ["tests-pass", "tests passed"],
  ["alert", "alerts"],
  ["nudge", "nudges"],
  ["refusal", "refused calls"],
  ["veto", "vetoes"],
  ["review", "reviews"],
  ["stop", "stops"],
];

/** The main instrument: phases, calls, tokens and marks of a run on one axis. Drag over a part to look closer. */
export function TimelineChart({
  timeline,
  length = timeline.length,
  title,
  events = [],
  chosen,
  onEvent,
  onEntry,
}: {
  readonly timeline: Timeline;
  /** The length of a shared axis. */
  readonly length?: number;
  readonly title: string;
  /** The events of the run, to count calls anew in a zoomed part. */
  readonly events?: readonly RunEvent[];
  /** The chosen entry, by its first event. */
  readonly chosen?: number | undefined;
  readonly onEvent?: (seq: number) => void;
  readonly onEntry?: (bar: PhaseBar) => void;
}): JSX.Element {
  const zoom = useZoom(length);
  const { from, to } = zoom.range;
  // A margin on both sides, so that the first and the last mark are drawn whole.
  const left = (at: number): number => 0.6 + ((at - from) / (to - from)) * 98.4;
  const phases = [...new Set(timeline.bars.map(({ phase }) => phase))];
  const lanes = LANES.filter(([kind]) => timeline.marks.some((mark) => mark.kind === kind));
  const slices = useMemo(
    () => (zoom.isWhole || events.length === 0 ? undefined : sliceEvents(events, { from, to })),
    [from, to, events.length],
  );
  return (
    <figure class="timeline">
      <figcaption>
        <span>{title}</span>
        <span class="zoom" role="group" aria-label="Zoom">
          <button type="button" aria-label="Zoom in" onClick={() => zoom.by(0.5)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" disabled={zoom.isWhole} onClick={() => zoom.by(2)}>
            −
          </button>
          <button type="button" aria-label="Earlier" disabled={zoom.isWhole} onClick={() => zoom.move(-0.5)}>
            ‹
          </button>
          <button type="button" aria-label="Later" disabled={zoom.isWhole} onClick={() => zoom.move(0.5)}>
            ›
          </button>
          <button type="button" disabled={zoom.isWhole} onClick={zoom.reset}>
            Whole run
          </button>
        </span>
      </figcaption>
      <p class="hidden">{describe(timeline)}</p>
      <div class="timeline-grid">
        <ul class="timeline-names">
          {phases.map((phase) => (
            <li key={phase} title={phase} class="row-phase">
              <i style={{ background: phaseColor(phase) }} />
              {shortName(phase)}
            </li>
          ))}
          <li class="row-density">calls, tokens (sum)</li>
          {lanes.map(([kind, name]) => (
            <li key={kind} class="row-mark">
              <MarkIcon kind={kind} />
              {`${name} ${String(timeline.marks.filter((mark) => mark.kind === kind).length)}`}
            </li>
          ))}
        </ul>
        <div class="timeline-plot" {...zoom.handlers}>
          {axisTicks(timeline.axis, zoom.range).map(({ at }) => (
            <i key={at} class="grid-line" style={{ left: `${String(left(at))}%` }} />
          ))}
          {phases.map((phase) => (
            <div key={phase} class="row-phase">
              {timeline.bars
                .filter((bar) => bar.phase === phase && bar.to >= from && bar.from <= to)
                .map((bar) => (
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
          ))}
          <div class="row-density">
            <DensityChart
              slices={slices ?? timeline.slices}
              width={slices === undefined ? left(timeline.length) - left(0) : left(to) - left(from)}
              left={left(slices === undefined ? 0 : from)}
            />
          </div>
          {lanes.map(([kind, name]) => (
            <div key={kind} class="row-mark">
              {clusterMarks(
                timeline.marks.filter((mark) => mark.kind === kind && mark.at >= from && mark.at <= to),
                (to - from) * CLUSTER,
              ).map(({ at, marks }) => {
                const first = marks[0];
                if (first === undefined) return null;
                const label =
                  marks.length === 1
                    ? `${first.label}, event ${String(first.seq)}`
                    : `${String(marks.length)} ${name}, from event ${String(first.seq)}`;
                return (
                  <button
                    key={first.seq}
                    type="button"
                    class="mark"
                    style={{ left: `${String(left(at))}%` }}
                    title={label}
                    aria-label={label}
                    onClick={() => onEvent?.(first.seq)}
                  >
                    <MarkIcon kind={kind} />
                  </button>
                );
              })}
            </div>
          ))}
          {zoom.brush === undefined ? null : (
            <i class="brush" style={{ left: `${String(zoom.brush.left)}%`, width: `${String(zoom.brush.width)}%` }} />
          )}
        </div>
        <span class="timeline-unit">{timeline.axis === "time" ? "time" : "event"}</span>
        <div class="timeline-axis">
          {axisTicks(timeline.axis, zoom.range).map(({ at, label }) => (
            <span key={at} class={left(at) > 94 ? "last" : undefined} style={{ left: `${String(left(at))}%` }}>
              {label}
            </span>
          ))}
        </div>
      </div>
    </figure>
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
      title={label}
      aria-label={label}
      aria-pressed={onEntry === undefined ? undefined : chosen}
      disabled={onEntry === undefined}
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
