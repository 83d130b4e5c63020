import { budget, createRun, type NewEvent, type RunPort, stallReminder } from "@phasekit/core";
import { heapAfterCollection, measureInterleaved, median, ratio } from "./measure.ts";
import type { Story } from "./comparison.ts";
import { toolFact } from "./sample-events.ts";
import { miniTracker, phases, toolOf } from "./tracking.ts";

const EARLY = 1000;
const LATE = 1_000_000;
const FIRST_HEAP = 200_000;
const COUNT = 1000;

/** True if a run gets slower or bigger with its length. */
export function growth(): Story {
  const old = startRun();
  const heaps: number[] = [];
  for (let n = 0; n < LATE; n += 1) {
    old.record(nthFact(n));
    if ((n + 1) % FIRST_HEAP === 0) heaps.push(heapAfterCollection());
  }
  let young = startRun();
  let age = LATE;
  let facts: readonly NewEvent[] = [];
  const time = measureInterleaved(
    [
      {
        name: "early",
        prepare: () => {
          young = startRun();
          for (const fact of factsFrom(0, EARLY - COUNT / 2)) young.record(fact);
          facts = factsFrom(EARLY - COUNT / 2, COUNT);
        },
        run: () => {
          for (const fact of facts) young.record(fact);
        },
      },
      {
        name: "late",
        prepare: () => {
          facts = factsFrom(age, COUNT);
          age += COUNT;
        },
        run: () => {
          for (const fact of facts) old.record(fact);
        },
      },
    ],
    { blocks: 101, count: COUNT, warmUp: 10 },
  );
  const [first = NaN] = heaps;
  const grown = (heaps.at(-1) ?? NaN) - first;
  return {
    title: "Whether a run gets slower or bigger with its length",
    baseline: `one fact, around number ${EARLY.toLocaleString("en")}: ${median(time.early).toFixed(0)} ns`,
    results: [
      { what: "one fact, around number 1,000,000", value: ratio(time.late, time.early), unit: "×", target: 1.1 },
      {
        what: "heap, from fact 200,000 to fact 1,000,000",
        value: grown / (LATE - FIRST_HEAP),
        unit: "B per event",
        target: 1,
      },
    ],
    notes: [
      `Every fact is about another file; the run has ${old.view.seq.toLocaleString("en")} events and is in ${old.view.phaseEntry}.`,
      `Heap after a full collection, every 200,000 facts: ${heaps.map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`).join(", ")}.`,
      "The early facts are those of a new run in every block, so that both are measured side by side in warm code.",
    ],
  };
}

function startRun(): RunPort {
  return createRun({ graph: phases, policies: [miniTracker(), stallReminder(), budget({ turns: 100_000_000 })] });
}

/** A turn, then three results of 1 KB. */
function nthFact(n: number): NewEvent {
  return n % 4 === 0 ? { type: "turn.started" } : { ...toolFact(n), tool: toolOf(n) };
}

function factsFrom(first: number, count: number): readonly NewEvent[] {
  return Array.from({ length: count }, (_, index) => nthFact(first + index));
}
