import type { RunEvent } from "@phasekit/core";
import { words } from "@phasekit/ledger/story";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { entryDetails } from "../../views/entry-details.ts";
import type { EventRow } from "../../views/event-rows.ts";
import type { RowGroup } from "../../views/group-rows.ts";
import { costText, duration, tokens } from "../../views/number-text.ts";
import type { PhaseBar } from "../../views/timeline.ts";
import { Icon } from "../parts/icon.tsx";
import { phaseColor } from "../parts/phase-color.ts";
import { hrefOf } from "../route.ts";

/** Rows shown at first. */
const FIRST_ROWS = 60;

/** One phase entry from the inside, beside the timeline. */
export function PhasePanel({
  run,
  bar,
  timed,
  events,
  version,
  onStep,
  onClose,
}: {
  readonly run: string;
  readonly bar: PhaseBar;
  /** False if the axis counts events. */
  readonly timed: boolean;
  readonly events: readonly RunEvent[];
  readonly version: number;
  /** Shows the entry before or after this one. */
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const details = useMemo(() => entryDetails(events, bar), [bar.firstSeq, bar.lastSeq, version]);
  const box = useRef<HTMLElement>(null);
  // On a small screen the panel is below the timeline.
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [bar.firstSeq]);
  const { cost, unpricedCalls = 0 } = bar;
  const measures: readonly (readonly [string, string])[] = [
    ...(timed ? [["Time", duration(bar.to - bar.from)] as const] : []),
    ["Turns", String(details.turns)],
    ["Calls", `${String(details.calls)}${details.failed === 0 ? "" : `, ${String(details.failed)} failed`}`],
    ["Tokens", details.tokens === undefined ? "unknown" : tokens(details.tokens)],
    ["Cost", costText({ ...(cost !== undefined && { cost }), unpricedCalls })],
    ["Ended", (bar.ended ?? "still open").replaceAll("_", " ")],
  ];
  return (
    <aside class="panel card" aria-label={`Phase entry ${bar.entry}`} ref={box}>
      <header>
        <h2>
          <i style={{ background: phaseColor(bar.phase) }} />
          {bar.entry}
        </h2>
        <span>
          <button type="button" class="plain" aria-label="Previous phase entry" onClick={() => onStep(-1)}>
            <Icon name="earlier" />
          </button>
          <button type="button" class="plain" aria-label="Next phase entry" onClick={() => onStep(1)}>
            <Icon name="later" />
          </button>
          <button type="button" class="plain" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </span>
      </header>
      <dl class="panel-measures">
        {measures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <GroupList title="Alerts, nudges and gates" groups={details.steps} run={run} empty="None in this entry." />
      <GroupList title="Calls" groups={details.callRows} run={run} empty="No tool was called." />
    </aside>
  );
}

function GroupList({
  title,
  groups,
  run,
  empty,
}: {
  readonly title: string;
  readonly groups: readonly RowGroup<EventRow>[];
  readonly run: string;
  readonly empty: string;
}): JSX.Element {
  return (
    <>
      <h3>{title}</h3>
      {groups.length === 0 ? <p class="quiet">{empty}</p> : null}
      <ol class="panel-rows">
        {groups.slice(0, FIRST_ROWS).map(({ row, times }) => (
          <li key={row.seq} class={`kind-${row.kind}${row.outcome === undefined ? "" : ` outcome-${row.outcome}`}`}>
            <a href={hrefOf({ page: "run", run, seq: row.seq })}>{words.shortPaths(row.text)}</a>
            {times === 1 ? null : <b class="times">{`${String(times)} ×`}</b>}
          </li>
        ))}
      </ol>
      {groups.length > FIRST_ROWS ? (
        <p class="quiet">{`and ${String(groups.length - FIRST_ROWS)} more in the event list`}</p>
      ) : null}
    </>
  );
}
