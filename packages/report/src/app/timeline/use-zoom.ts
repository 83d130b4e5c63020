import type { HTMLAttributes } from "preact";
import { useRef, useState } from "preact/hooks";
import type { AxisRange } from "../../views/timeline.ts";

/** A drag shorter than this share of the width is a click. */
const MIN_DRAG = 0.01;
/** The smallest part of the axis that is shown. */
const MIN_SHARE = 0.001;

/** The part of the axis a reader looks at, and the ways to change it. */
export interface Zoom {
  readonly range: AxisRange;
  readonly isWhole: boolean;
  /** The part under the pointer while it is dragged, in percent of the width. */
  readonly brush: { readonly left: number; readonly width: number } | undefined;
  readonly by: (factor: number) => void;
  readonly move: (share: number) => void;
  readonly reset: () => void;
  readonly handlers: Pick<
    HTMLAttributes<HTMLDivElement>,
    "onPointerDown" | "onPointerMove" | "onPointerUp" | "onPointerCancel"
  >;
}

/** Lets a reader drag over a part of the axis to look closer. */
export function useZoom(length: number): Zoom {
  const [shown, setShown] = useState<AxisRange>();
  const [brush, setBrush] = useState<{ readonly start: number; readonly end: number }>();
  const box = useRef<DOMRect | undefined>(undefined);
  const range = shown ?? { from: 0, to: length };
  const width = range.to - range.from;

  const shareAt = (x: number): number => {
    const { left, width: pixels } = box.current ?? { left: 0, width: 1 };
    return Math.min(1, Math.max(0, (x - left) / Math.max(1, pixels)));
  };
  const show = (from: number, to: number): void => {
    const least = length * MIN_SHARE;
    const size = Math.min(length, Math.max(least, to - from));
    const start = Math.min(Math.max(0, from), length - size);
    setShown(size >= length ? undefined : { from: start, to: start + size });
  };
  return {
    range,
    isWhole: shown === undefined,
    brush:
      brush === undefined || Math.abs(brush.end - brush.start) < MIN_DRAG
        ? undefined
        : { left: Math.min(brush.start, brush.end) * 100, width: Math.abs(brush.end - brush.start) * 100 },
    by: (factor) => {
      const middle = range.from + width / 2;
      show(middle - (width * factor) / 2, middle + (width * factor) / 2);
    },
    move: (share) => show(range.from + width * share, range.to + width * share),
    reset: () => setShown(undefined),
    handlers: {
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        box.current = event.currentTarget.getBoundingClientRect();
        const start = shareAt(event.clientX);
        setBrush({ start, end: start });
      },
      onPointerMove: (event) => {
        if (brush !== undefined) setBrush({ ...brush, end: shareAt(event.clientX) });
      },
      onPointerUp: () => {
        setBrush(undefined);
        if (brush === undefined || Math.abs(brush.end - brush.start) < MIN_DRAG) return;
        const [left, right] = [Math.min(brush.start, brush.end), Math.max(brush.start, brush.end)];
        show(range.from + width * left, range.from + width * right);
      },
      onPointerCancel: () => setBrush(undefined),
    },
  };
}
