import type { RunEvent } from "@phasekit/core";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { eventParts } from "../../views/event-parts.ts";
import { visibleText } from "../../views/visible-text.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { Icon } from "../parts/icon.tsx";
import { hrefOf } from "../route.ts";

/** One event: its texts and diffs as such, its other members by name, and as it is stored. */
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
  const { values, texts, diff } = eventParts(event);
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
      {values.length === 0 ? null : (
        <dl>{values.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}:`}>{value}</dd>])}</dl>
      )}
      {diff.length === 0 ? null : <DiffView lines={diff} />}
      {texts.map(([name, text]) => (
        <figure key={name}>
          <figcaption class="quiet">{name}</figcaption>
          <pre tabIndex={0}>{text}</pre>
        </figure>
      ))}
      <details>
        <summary>As stored</summary>
        <pre tabIndex={0}>{visibleText(JSON.stringify(event, undefined, 2))}</pre>
      </details>
    </section>
  );
}
