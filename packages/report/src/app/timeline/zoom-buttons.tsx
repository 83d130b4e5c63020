import type { JSX } from "preact";
import { Icon } from "../parts/icon.tsx";
import type { Zoom } from "./use-zoom.ts";

/** The ways to zoom without a pointer. */
export function ZoomButtons({ zoom }: { readonly zoom: Zoom }): JSX.Element {
  return (
    <span class="zoom" role="group" aria-label="Zoom">
      <button type="button" aria-label="Earlier" disabled={zoom.isWhole} onClick={() => zoom.move(-0.5)}>
        <Icon name="earlier" />
      </button>
      <button type="button" aria-label="Later" disabled={zoom.isWhole} onClick={() => zoom.move(0.5)}>
        <Icon name="later" />
      </button>
      <button type="button" aria-label="Zoom out" disabled={zoom.isWhole} onClick={() => zoom.by(2)}>
        <Icon name="minus" />
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => zoom.by(0.5)}>
        <Icon name="plus" />
      </button>
      <button type="button" disabled={zoom.isWhole} onClick={zoom.reset}>
        Whole run
      </button>
    </span>
  );
}
