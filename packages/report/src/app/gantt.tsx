import type { JSX } from "preact";
import type { Mark, MarkKind, Timeline } from "../views/timeline.ts";
import { duration } from "../views/number-text.ts";
import { phaseColours } from "./phase-colours.ts";

const WIDTH = 1000;
const BAR = 22;
const GAP = 6;
const DENSITY = 34;
/** Characters of a phase's name beside its bar. */
const NAME = 30;

const SIGNS: Readonly<Record<MarkKind, string>> = { "tests-pass": "✓", "tests-fail": "✗", alert: "▲", nudge: "●", refusal: "■", veto: "◆", review: "?", stop: "⏹" };

/** The phases of a run on one axis, how densely tools were called, and what happened on the way. */
export function Gantt({ timeline, length = timeline.length, title, onPick }: {
  readonly timeline: Timeline;
  /** The length of the axis, when two runs share one. */
  readonly length?: number;
  readonly title: string;
  readonly onPick?: (seq: number) => void;
}): JSX.Element {
  const phases = [...new Set(timeline.bars.map(({ phase }) => phase))];
  const colour = phaseColours(phases);
  const x = (at: number): number => (at / length) * WIDTH;
  const rows = phases.length * (BAR + GAP);
  const most = Math.max(1, ...timeline.slices.map(({ calls }) => calls));
  const slice = (WIDTH / timeline.slices.length) * (timeline.length / length);
  return (
    <figure class="gantt" style={{ "--names": `${String(namesWidth(phases))}px` }}>
      <figcaption>{title} <small>Columns are tool calls, red where they failed; the line is tokens.</small></figcaption>
      <div class="gantt-body">
        <ul class="gantt-names" style={{ rowGap: `${String(GAP)}px` }}>
          {phases.map((phase) => <li key={phase} title={phase} style={{ height: `${String(BAR)}px` }}><i style={{ background: colour(phase) }} />{shortName(phase)}</li>)}
        </ul>
        <svg viewBox={`0 0 ${String(WIDTH)} ${String(rows + DENSITY + 4)}`} preserveAspectRatio="none" style={{ height: `${String(rows + DENSITY + 4)}px` }} role="img" aria-label={describe(timeline)}>
          {timeline.bars.map((bar) => (
            <rect
              key={`${bar.entry}-${String(bar.attempt)}-${String(bar.firstSeq)}`}
              class={`bar bar-${bar.state}`}
              x={x(bar.from)}
              y={phases.indexOf(bar.phase) * (BAR + GAP)}
              width={Math.max(2, x(bar.to) - x(bar.from))}
              height={BAR}
              rx={3}
              fill={colour(bar.phase)}
              onClick={() => onPick?.(bar.firstSeq)}
            >
              <title>{`${bar.entry}: ${bar.ended ?? "still open"}, ${timeline.axis === "time" ? duration(bar.to - bar.from) : `${String(bar.to - bar.from)} events`}`}</title>
            </rect>
          ))}
          {timeline.slices.map(({ calls, errors }, index) => calls > 0 && (
            <g key={index} transform={`translate(${String(index * slice)} ${String(rows + DENSITY)})`}>
              <rect class="density" x={0} y={-(calls / most) * (DENSITY - 6)} width={Math.max(1, slice - 1)} height={(calls / most) * (DENSITY - 6)} />
              {errors > 0 && <rect class="density-errors" x={0} y={-(errors / most) * (DENSITY - 6)} width={Math.max(1, slice - 1)} height={(errors / most) * (DENSITY - 6)} />}
            </g>
          ))}
          {tokensLine(timeline, slice) === "" ? null : <polyline class="tokens" transform={`translate(0 ${String(rows + DENSITY)})`} points={tokensLine(timeline, slice)} vector-effect="non-scaling-stroke" />}
        </svg>
      </div>
      <div class="gantt-marks">
        {timeline.marks.map((mark) => <MarkSign key={`${mark.kind}-${String(mark.seq)}`} mark={mark} left={(mark.at / length) * 100} onPick={onPick} />)}
      </div>
      <div class="gantt-axis"><span>0</span><span>{timeline.axis === "time" ? duration(length) : `${String(length)} events`}</span></div>
    </figure>
  );
}

/** Room for the longest name, as far as there is any. */
function namesWidth(phases: readonly string[]): number {
  return Math.max(110, ...phases.map((phase) => Math.min(NAME, phase.length) * 9));
}

/** Names that are long often differ at their end. */
function shortName(phase: string): string {
  const letters = Array.from(phase);
  return letters.length <= NAME ? phase : `${letters.slice(0, NAME - 13).join("")}…${letters.slice(-12).join("")}`;
}

/** Tokens in each slice as a line; nothing where nobody told how many. */
function tokensLine({ slices }: Timeline, width: number): string {
  const most = Math.max(...slices.map(({ tokens }) => tokens));
  if (most === 0) return "";
  return slices.map(({ tokens }, index) => `${String(index * width)},${String(-(tokens / most) * (DENSITY - 6))} ${String((index + 1) * width)},${String(-(tokens / most) * (DENSITY - 6))}`).join(" ");
}

function MarkSign({ mark, left, onPick }: { readonly mark: Mark; readonly left: number; readonly onPick: ((seq: number) => void) | undefined }): JSX.Element {
  const label = `${mark.label}, event ${String(mark.seq)}`;
  return (
    <button type="button" class={`mark mark-${mark.kind}`} style={{ left: `${String(left)}%` }} title={label} aria-label={label} tabIndex={-1} onClick={() => onPick?.(mark.seq)}>
      {SIGNS[mark.kind]}
    </button>
  );
}

/** The same for people who do not see the drawing. */
function describe({ bars, axis }: Timeline): string {
  const spans = bars.slice(0, 40).map(({ phase, from, to, ended }) => `${phase} for ${axis === "time" ? duration(to - from) : `${String(to - from)} events`}${ended === undefined ? "" : `, ${ended}`}`);
  return `Phases in order: ${spans.join("; ")}${bars.length > 40 ? `; and ${String(bars.length - 40)} more` : ""}.`;
}
