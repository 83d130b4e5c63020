import type { RunEvent } from "@phasekit/core";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { hrefOf } from "../route.ts";

/** One event as it is stored. */
export function EventDetail({
  event,
  run,
  onClose,
}: {
  readonly event: RunEvent;
  readonly run: string;
  readonly onClose: () => void;
}): JSX.Element {
  const box = useRef<HTMLElement>(null);
  // Links to an event are all over the page, far from the list.
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [event.seq]);
  return (
    <section ref={box} class="detail" aria-label={`Event ${String(event.seq)}`}>
      <header>
        <h3>
          {event.type} <a href={hrefOf({ page: "run", run, seq: event.seq })}>{`event ${String(event.seq)}`}</a>
        </h3>
        <button type="button" class="plain" aria-label="Close the event" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <pre tabIndex={0}>{escapeInvisible(JSON.stringify(event, undefined, 2))}</pre>
    </section>
  );
}

/** Escapes characters that reorder or hide text in JSON. */
function escapeInvisible(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
