import type { JSX } from "preact";
import { plural, tokens } from "../../views/number-text.ts";
import type { Slice } from "../../views/timeline.ts";

/** The line and the box that say what is at one place of the axis. */
export function TimelineTip({
  share,
  at,
  title,
  slice,
}: {
  /** The place, from 0 to 1. */
  readonly share: number;
  /** The place in the unit of the axis, in words. */
  readonly at: string;
  readonly title: string;
  readonly slice: Slice | undefined;
}): JSX.Element {
  const counts =
    slice === undefined || slice.calls + slice.tokens === 0
      ? []
      : [
          `${plural(slice.calls, "call")}${slice.errors === 0 ? "" : `, ${String(slice.errors)} failed`}`,
          ...(slice.tokens === 0 ? [] : [`${tokens(slice.tokens)} tokens`]),
        ];
  return (
    <>
      <i class="crosshair" style={{ left: `${String(share * 100)}%` }} />
      <div class={`tip${share > 0.6 ? " tip-left" : ""}`} style={{ left: `${String(share * 100)}%` }}>
        <b>{title}</b>
        <span>{[at, ...counts].join(" · ")}</span>
      </div>
    </>
  );
}
