import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

/** The part of a long list that is drawn, and the space of what is not. */
export interface VirtualRows<TBox extends HTMLElement> {
  readonly box: RefObject<TBox | null>;
  /** The first row that is drawn, and the one after the last. */
  readonly first: number;
  readonly last: number;
  /** Heights of what is above and below, in pixels. */
  readonly above: number;
  readonly below: number;
  /** Scrolls the page so that a row can be seen. */
  readonly reveal: (index: number) => void;
}

/** Rows beyond the edges of the screen. */
const SPARE = 12;

/**
 * Draws only the rows on the screen: the page scrolls, not a box in it, so that a list of thousands feels like one of
 * ten. Paper gets all rows.
 *
 * @param heights The height of each row.
 */
export function useVirtualRows<TBox extends HTMLElement>(heights: readonly number[]): VirtualRows<TBox> {
  const box = useRef<TBox>(null);
  const [view, setView] = useState({ top: 0, height: innerHeight });
  const isPrinting = usePrinting();
  const tops = useMemo(() => {
    const sums = [0];
    for (const height of heights) sums.push((sums.at(-1) ?? 0) + height);
    return sums;
  }, [heights]);
  useLayoutEffect(() => {
    let frame = 0;
    const measure = (): void => {
      frame = 0;
      const top = -(box.current?.getBoundingClientRect().top ?? 0);
      setView((before) =>
        before.top === top && before.height === innerHeight ? before : { top, height: innerHeight },
      );
    };
    const ask = (): void => {
      if (frame === 0) frame = requestAnimationFrame(measure);
    };
    measure();
    addEventListener("scroll", ask, { passive: true });
    addEventListener("resize", ask);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", ask);
      removeEventListener("resize", ask);
    };
  }, [tops]);
  const first = isPrinting ? 0 : Math.max(0, rowAt(tops, view.top) - SPARE);
  const last = isPrinting ? heights.length : Math.min(heights.length, rowAt(tops, view.top + view.height) + 1 + SPARE);
  return {
    box,
    first,
    last,
    above: tops[first] ?? 0,
    below: (tops.at(-1) ?? 0) - (tops[last] ?? 0),
    reveal: (index) => {
      const start = (box.current?.getBoundingClientRect().top ?? 0) + (tops[index] ?? 0);
      const end = start + (heights[index] ?? 0);
      if (start < 0 || end > innerHeight) scrollBy({ top: start - innerHeight / 2 });
    },
  };
}

/** The last row that begins at or above a place. */
function rowAt(tops: readonly number[], place: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** True while the page is printed. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const paper = matchMedia("print");
    const follow = (): void => setPrinting(paper.matches);
    const begin = (): void => setPrinting(true);
    const end = (): void => setPrinting(false);
    paper.addEventListener("change", follow);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      paper.removeEventListener("change", follow);
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}
