import type { JSX } from "preact";
import type { Timeline } from "../../views/timeline.ts";
import type { LoadedEvents } from "../events/use-events.ts";
import { TimelineChart } from "../timeline/timeline-chart.tsx";
import { PhasePanel } from "./phase-panel.tsx";

/** The timeline of a run, and beside it the phase that a reader looks into. */
export function RunTimeline({
  run,
  timeline,
  loaded,
  entry,
  onEvent,
  onEntry,
}: {
  readonly run: string;
  readonly timeline: Timeline;
  readonly loaded: LoadedEvents;
  /** The phase entry that is open, by its first event. */
  readonly entry: number | undefined;
  readonly onEvent: (seq: number) => void;
  readonly onEntry: (entry: number | undefined) => void;
}): JSX.Element {
  const { bars, axis } = timeline;
  const bar = bars.find(({ firstSeq }) => firstSeq === entry);
  return (
    <section aria-labelledby="timeline-title" class={bar === undefined ? undefined : "with-panel"}>
      <div class="card">
        <TimelineChart
          timeline={timeline}
          title={
            <>
              <h2 id="timeline-title">Timeline</h2>
              <span class="quiet">Click a phase to look inside. Drag to zoom.</span>
            </>
          }
          events={loaded.events}
          chosen={entry}
          onEvent={onEvent}
          onEntry={({ firstSeq }) => onEntry(firstSeq === entry ? undefined : firstSeq)}
        />
      </div>
      {bar === undefined ? null : (
        <PhasePanel
          run={run}
          bar={bar}
          timed={axis === "time"}
          events={loaded.events}
          version={loaded.version}
          onStep={(by) => onEntry((bars[bars.indexOf(bar) + by] ?? bar).firstSeq)}
          onClose={() => onEntry(undefined)}
        />
      )}
    </section>
  );
}
