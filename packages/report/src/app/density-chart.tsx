import type { JSX } from "preact";
import type { Slice } from "../views/timeline.ts";

const WIDTH = 1000;
const HEIGHT = 36;

/** Columns for tool calls, red where they failed, and a line for the sum of tokens. */
export function DensityChart({
  slices,
  left,
  width,
}: {
  readonly slices: readonly Slice[];
  /** Place and size in percent of the plot. */
  readonly left: number;
  readonly width: number;
}): JSX.Element {
  const most = Math.max(1, ...slices.map(({ calls }) => calls));
  const step = WIDTH / slices.length;
  const column = (count: number, index: number, name: string): JSX.Element | null =>
    count === 0 ? null : (
      <rect
        key={`${name}-${String(index)}`}
        class={name}
        x={index * step}
        y={HEIGHT - (count / most) * HEIGHT}
        width={Math.max(1, step - 1)}
        height={(count / most) * HEIGHT}
      />
    );
  const line = tokenLine(slices, step);
  return (
    <svg
      class="density-chart"
      viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
      preserveAspectRatio="none"
      style={{ left: `${String(left)}%`, width: `${String(width)}%` }}
      aria-hidden="true"
    >
      {slices.map(({ calls }, index) => column(calls, index, "density"))}
      {slices.map(({ errors }, index) => column(errors, index, "density-errors"))}
      {line === "" ? null : <polyline class="tokens" points={line} vector-effect="non-scaling-stroke" />}
    </svg>
  );
}

/** Returns the points of the rising sum of tokens; empty if the usage is unknown. */
function tokenLine(slices: readonly Slice[], step: number): string {
  const all = slices.reduce((sum, { tokens }) => sum + tokens, 0);
  if (all === 0) return "";
  let sum = 0;
  return slices
    .map(({ tokens }, index) => {
      sum += tokens;
      return `${String((index + 1) * step)},${String(HEIGHT - (sum / all) * (HEIGHT - 2))}`;
    })
    .join(" ");
}
