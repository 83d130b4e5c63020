import { budget, createRun, type NewFact, type RunPort, stallReminder } from "@phasekit/core";
import { heapAfterCollection, measureInterleaved, median, ratio } from "./measure.ts";
import type { Story } from "./result.ts";
import { toolFact } from "./sample-facts.ts";
import { miniTracker, phases } from "./tracking.ts";

const EARLY = 1000;
const LATE = 1_000_000;
const FIRST_HEAP = 200_000;
const COUNT = 1000;

/** Whether a run gets slower or bigger with its length. */
export function growth(): Story {
  const old = startRun();
  const heaps: number[] = [];
  for (let n = 0; n < LATE; n += 1) {
    feed(old, n);
    if ((n + 1) % FIRST_HEAP === 0) heaps.push(heapAfterCollection());
  }
  let young = startRun();
  let age = LATE;
  const time = measureInterleaved(
    [
      {
        name: "early",
        prepare: () => {
          young = startRun();
          for (let n = 0; n < EARLY; n += 1) feed(young, n);
        },
        run: (_first, count) => {
          for (let n = EARLY; n < EARLY + count; n += 1) feed(young, n);
        },
      },
      {
        name: "late",
        run: (_first, count) => {
          for (let n = age; n < age + count; n += 1) feed(old, n);
          age += count;
        },
      },
    ],
    { blocks: 101, count: COUNT, warmUp: 10 },
  );
  const grown = heaps.at(-1)! - heaps[0]!;
  return {
    title: "Whether a run gets slower or bigger with its length",
    baseline: `one fact, around number ${EARLY.toLocaleString("en")}, with its making: ${median(time.early).toFixed(0)} ns`,
    results: [
      { what: "one fact, around number 1,000,000", value: ratio(time.late, time.early), unit: "×", target: 1.1 },
      { what: "heap, from fact 200,000 to fact 1,000,000", value: grown / (LATE - FIRST_HEAP), unit: "B per event", target: 1 },
    ],
    notes: [
      `Every fact is about another file; one run of ${old.view.seq.toLocaleString("en")} events, among them ${old.view.transitions.at(-1)?.entry ?? "no moves"}.`,
      `Heap after a full collection, every 200,000 facts: ${heaps.map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`).join(", ")}.`,
      "The early facts are those of a new run in every block, so that both are measured side by side in warm code.",
    ],
  };
}

function startRun(): RunPort {
  return createRun({ graph: phases, policies: [miniTracker(), stallReminder(), budget({ turns: 100_000_000 })] });
}

/** A turn, a request and its result by turns; every third call is an edit, every ninth a test. */
function feed(run: RunPort, n: number): void {
  const fact: NewFact = toolFact(n);
  if (n % 4 === 0) run.record({ type: "turn.started" });
  else run.record(n % 9 === 0 ? { ...fact, tool: "Test", meaning: { activity: "test" } } : n % 3 === 0 ? { ...fact, tool: "Edit" } : fact);
}
