import { budget, createRun, type NewEvent, type RunPort, stallReminder } from "@phasekit/core";
import { defineComparison } from "./comparison.ts";
import { heapAfterCollection, measureInterleaved, median, type Pause, ratio } from "./measure.ts";
import { toolEvent } from "./sample-events.ts";
import { miniTracker, phases, toolOf } from "./tracking.ts";

const EARLY = 1000;
const LATE = 1_000_000;
const FIRST_HEAP = 200_000;
const COUNT = 1000;
/** Events between two pauses while the long run is made. */
const PAUSE_EVERY = 20_000;

/** The time and memory of an event of a run with a million events, compared with one of a short run. */
export const growth = defineComparison({
  title: "Growth of time and memory with the length of a run",
  baseline: `one event, around number ${EARLY.toLocaleString("en")}`,
  rows: {
    heap: { what: "heap, from event 200,000 to event 1,000,000", unit: "B per event", target: 1 },
    late: { what: "one event, around number 1,000,000", unit: "×", target: 1.25 },
  },
  measure: async ({ now, pause, row }) => {
    now(`record ${LATE.toLocaleString("en")} events`);
    const { old, heaps } = await makeLongRun(pause);
    const [first = NaN] = heaps;
    row("heap", ((heaps.at(-1) ?? NaN) - first) / (LATE - FIRST_HEAP));
    now("compare early and late events");
    const time = await measureEarlyAndLate(old, pause);
    row("late", ratio(time.late, time.early));
    return [
      `An early event takes ${median(time.early).toFixed(0)} ns.`,
      "Every event is about another file.",
      `The run has ${old.view.seq.toLocaleString("en")} events and is in ${old.view.phaseEntry}.`,
      `Heap after a full collection, every 200,000 events: ${heaps.map(renderMegabytes).join(", ")}.`,
      "The early events are those of a new run in every block, so that both are measured side by side in warm code.",
    ];
  },
});

function renderMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

/** A run of a million events, and its heap after every 200,000. */
async function makeLongRun(pause: Pause): Promise<{ readonly old: RunPort; readonly heaps: readonly number[] }> {
  const old = startRun();
  const heaps: number[] = [];
  for (let n = 0; n < LATE; n += 1) {
    if (n % PAUSE_EVERY === 0) await pause(n, LATE);
    old.record(nthEvent(n));
    if ((n + 1) % FIRST_HEAP === 0) heaps.push(heapAfterCollection());
  }
  return { old, heaps };
}

function measureEarlyAndLate(old: RunPort, pause: Pause) {
  let young = startRun();
  let age = LATE;
  let events: readonly NewEvent[] = [];
  return measureInterleaved(
    [
      {
        name: "early",
        prepare: () => {
          young = startRun();
          for (const event of eventsFrom(0, EARLY - COUNT / 2)) young.record(event);
          events = eventsFrom(EARLY - COUNT / 2, COUNT);
        },
        run: () => {
          for (const event of events) young.record(event);
        },
      },
      {
        name: "late",
        prepare: () => {
          events = eventsFrom(age, COUNT);
          age += COUNT;
        },
        run: () => {
          for (const event of events) old.record(event);
        },
      },
    ],
    { blocks: 101, count: COUNT, warmUp: 10, pause },
  );
}

function startRun(): RunPort {
  return createRun({ graph: phases, policies: [miniTracker(), stallReminder(), budget({ turns: 100_000_000 })] });
}

/** A turn, then three results of 1 kB. */
function nthEvent(n: number): NewEvent {
  return n % 4 === 0 ? { type: "turn.started" } : { ...toolEvent(n), tool: toolOf(n) };
}

function eventsFrom(first: number, count: number): readonly NewEvent[] {
  return Array.from({ length: count }, (_, index) => nthEvent(first + index));
}
