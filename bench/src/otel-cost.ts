import type { RunEvent } from "@phasekit/core";
import { eventsToOtlp } from "@phasekit/otel";
import { defineComparison } from "./comparison.ts";
import { measureInterleaved, median, type Pause, ratio } from "./measure.ts";
import { logOf, toolEvent } from "./sample-events.ts";

const EVENTS = 2000;

/** The cost of a trace, story included. */
export const otelCost = defineComparison({
  title: "Cost of a trace",
  baseline: "JSON.stringify of a 1 kB event",
  rows: {
    fold: { what: "eventsToOtlp, per event, with the story of the run", unit: "×", target: 2 },
    text: { what: "the same with texts, which were redacted before", unit: "×", target: 2 },
    redacted: { what: "the same with texts, and a search for secrets", unit: "×" },
  },
  measure: async ({ pause, baseline, row }) => {
    const time = await measureTraces(pause);
    baseline(`${median(time.stringify).toFixed(0)} ns`);
    for (const name of ["fold", "text", "redacted"] as const) row(name, ratio(time[name], time.stringify));
    return ["Every event is a tool call of its own: most spans and attributes an event can become."];
  },
});

function measureTraces(pause: Pause) {
  const events = logOf(Array.from({ length: EVENTS }, (_, n) => toolEvent(n)));
  // A result that is not used may not be computed, so all of them are.
  let used = 0;
  const fold = (options: Parameters<typeof eventsToOtlp>[1], log: readonly RunEvent[]): void => {
    used += eventsToOtlp(log, options).traces.resourceSpans[0]?.scopeSpans[0]?.spans.length ?? 0;
  };
  return measureInterleaved(
    [
      {
        name: "stringify",
        run: () => {
          for (const event of events) used += JSON.stringify(event).length;
        },
      },
      {
        name: "fold",
        run: () => {
          fold({}, events);
        },
      },
      {
        name: "text",
        run: () => {
          fold({ text: true, redact: false }, events);
        },
      },
      {
        name: "redacted",
        run: () => {
          fold({ text: true }, events);
          if (used === 0) throw new Error("Nothing was made.");
        },
      },
    ],
    { blocks: 41, count: EVENTS, pause },
  );
}
