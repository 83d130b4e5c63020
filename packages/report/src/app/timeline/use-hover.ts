import type { HTMLAttributes } from "preact";
import { useState } from "preact/hooks";

/** The place under the pointer, or of the focused mark. */
export interface Hover {
  /** From 0 to 1, in the width of the plot. */
  readonly share: number;
  /** The name of the bar or mark there. */
  readonly label?: string;
}

/** Follows the pointer and the focus over a plot. */
export function useHover(): {
  readonly hover: Hover | undefined;
  readonly handlers: Pick<
    HTMLAttributes<HTMLDivElement>,
    "onMouseMove" | "onMouseLeave" | "onFocusCapture" | "onBlurCapture"
  >;
} {
  const [hover, setHover] = useState<Hover>();
  return {
    hover,
    handlers: {
      onMouseMove: ({ currentTarget, clientX, target }) => setHover(hoverAt(currentTarget, clientX, target)),
      onMouseLeave: () => setHover(undefined),
      onFocusCapture: ({ currentTarget, target }) => {
        if (!(target instanceof Element)) return;
        const { left, width } = target.getBoundingClientRect();
        setHover(hoverAt(currentTarget, left + width / 2, target));
      },
      onBlurCapture: () => setHover(undefined),
    },
  };
}

function hoverAt(plot: Element, x: number, target: EventTarget | null): Hover {
  const { left, width } = plot.getBoundingClientRect();
  const label = target instanceof Element ? target.closest("button")?.getAttribute("aria-label") : undefined;
  return {
    share: Math.min(1, Math.max(0, (x - left) / Math.max(1, width))),
    ...(typeof label === "string" && { label }),
  };
}
