import type { JSX } from "preact";
import type { Slice } from "../../views/timeline.ts";

const WIDTH = 1000;
const HEIGHT = 100;

/** Columns for tool calls, red where they failed, or for tokens. */
export function DensityChart({
  slices,
  measure,
  left,
  width,
}: {
  readonly slices: readonly Slice[];
  readonly measure: "calls" | "tokens";
  /** Place and size in percent of the plot. */
  readonly left: number;
  readonly width: number;
}): JSX.Element {
  const most = Math.max(1, ...slices.map((slice) => slice[measure]));
  const step = WIDTH / slices.length;
  const column = (amount: number, index: number, name: string): JSX.Element | null =>
    amount === 0 ? null : (
      <rect
        key={`${name}-${String(index)}`}
        class={name}
        x={index * step}
        y={HEIGHT - Math.max(4, (amount / most) * HEIGHT)}
        width={Math.max(1, step - 1.2)}
        height={Math.max(4, (amount / most) * HEIGHT)}
      />
    );
  return (
    <svg
      class="density-chart"
      viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
      preserveAspectRatio="none"
      style={{ left: `${String(left)}%`, width: `${String(width)}%` }}
      aria-hidden="true"
    >
      {slices.map((slice, index) => column(slice[measure], index, `density-${measure}`))}
      {measure === "calls" ? slices.map(({ errors }, index) => column(errors, index, "density-errors")) : null}
    </svg>
  );
}
