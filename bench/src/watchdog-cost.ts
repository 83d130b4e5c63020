import { createRun, nameTableInterpreter, type NewEvent, type RunEvent, type RunPort } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { escalation, watchdog } from "@phasekit/watchdog";
import { createInterpreter } from "./create-interpreter.ts";
import { difference, heapAfterCollection, measureInterleaved, median, ratio, type Subject } from "./measure.ts";
import type { Story } from "./comparison.ts";
import { EVENT_BYTES, logOf, toolFact } from "./sample-events.ts";

const POOL = 4096;
const POLLS = 512;
const TEXT = 65_536;
const TEXTS = 4;

/** The cost of the watchdog: calls that differ, an endless poll, streamed text, and a run of a million events. */
export function watchdogCost({ events = 1_000_000 }: { readonly events?: number } = {}): Story {
  const calls = measureCalls();
  const polls = measurePolls();
  return {
    title: "Cost of the watchdog",
    baseline: `JSON.stringify of the same stored event (calls that differ: ${EVENT_BYTES} bytes, ${median(calls.stringify).toFixed(0)} ns; the poll: 10 kB output, ${median(polls.stringify).toFixed(0)} ns)`,
    results: [
      {
        what: "reading and watchdog, calls that differ",
        value: ratio(difference(calls.watched, calls.plain), calls.stringify),
        unit: "×",
        target: 0.4,
      },
      {
        what: "  of it the watchdog, with the meaning given",
        value: ratio(difference(calls.judged, calls.given), calls.stringify),
        unit: "×",
      },
      {
        what: "reading and watchdog, an endless poll of 10 kB",
        value: ratio(difference(polls.watched, polls.plain), polls.stringify),
        unit: "×",
        target: 1.5,
      },
      {
        what: "  of it the watchdog, with the meaning given",
        value: ratio(difference(polls.judged, polls.given), polls.stringify),
        unit: "×",
      },
      { what: "streamed text, against copying it", value: measureText(), unit: "×", target: 20 },
      ...measureGrowth(events),
    ],
    notes: [
      "Calls and poll are record() with reader and policies less record() without them, so the second interpreter and",
      "core's dispatch to nine more policies are in them. In the poll the call stays the same and its 10 kB answer",
      "changes every time. Streamed text comes in pieces of 40 characters, and core's cutting is in it; copying appends them",
      `and makes one text of it. Growth is event ${events.toLocaleString("en")} against event 1,000, and the heap between.`,
    ],
  };
}

function startRun(watched: boolean): RunPort {
  const run = watched
    ? createRun({ interpret: [nameTableInterpreter(), reading()], policies: [watchdog(), escalation()] })
    : createRun({ interpret: nameTableInterpreter() });
  return run;
}

function recording<const TName extends string>(
  name: TName,
  events: readonly NewEvent[],
  { record }: RunPort,
): Subject<TName> {
  return {
    name,
    run: () => {
      for (const event of events)
        if (!record(event)) throw new Error("An event was refused; the numbers mean nothing.");
    },
  };
}

/** Subjects that record the events: bare, read and watched, and with the meaning given, bare and watched. */
function recordings(events: readonly NewEvent[]) {
  const { interpret } = createInterpreter();
  const given = events.map((event) => {
    if (event.type !== "tool.finished") return event;
    const { tool = "", input, output, outcome } = event;
    return { ...event, meaning: interpret({ tool, input }, { outcome, output }) ?? {} };
  });
  return [
    recording("plain", events, startRun(false)),
    recording("watched", events, startRun(true)),
    recording("given", given, createRun({ interpret: [] })),
    recording("judged", given, createRun({ interpret: [], policies: [watchdog(), escalation()] })),
  ] as const;
}

function stringifying(events: readonly RunEvent[]): Subject<"stringify"> {
  return {
    name: "stringify",
    run: () => {
      for (const event of events) JSON.stringify(event);
    },
  };
}

/** A call and a result unlike all others. A call id may be used once; without one the run makes its own. */
function callFact(n: number): NewEvent {
  const { call: _used, output, ...fact } = toolFact(n);
  return { ...fact, output: Buffer.from(`// ${String(n).padStart(8, "0")}\n${String(output).slice(12)}`).toString() };
}

function measureCalls() {
  const facts = Array.from({ length: POOL }, (_, n) => callFact(n));
  return measureInterleaved(
    [stringifying(logOf(facts).filter(({ type }) => type === "tool.finished")), ...recordings(facts)],
    { blocks: 31, count: POOL },
  );
}

function pollFact(n: number): NewEvent {
  const lines = Array.from(
    { length: 160 },
    (_, line) =>
      `[${String(line)}] worker ${String((n * 31 + line * 7) % 97)} handled item ${String(n * 160 + line)} of the queue\n`,
  );
  return {
    type: "tool.finished",
    tool: "job_log",
    outcome: "ok",
    input: { job: "build-7" },
    output: Buffer.from(lines.join("").slice(0, 10_240)).toString(),
  };
}

function measurePolls() {
  const facts = Array.from({ length: POLLS }, (_, n) => pollFact(n));
  // The host's text is what would be written without clipping: compare with that.
  const events = facts.map(
    (fact, seq) => ({ ...fact, seq, at: 1_790_000_000_000, turn: seq, meaning: {} }) as unknown as RunEvent,
  );
  return measureInterleaved([stringifying(events), ...recordings(facts)], { blocks: 31, count: POLLS });
}

function measureText(): number {
  const words =
    "the quick brown fox jumps over the lazy dog while reading configuration files and printing reports".split(" ");
  let seed = 7;
  const next = (): string => words[(seed = (seed * 1103515245 + 12345) % 2147483648) % words.length] ?? "";
  let whole = "";
  while (whole.length < TEXT) whole += `${next()}${seed % 11 === 0 ? ".\n" : " "}`;
  const pieces = Array.from({ length: Math.floor(TEXT / 40) }, (_, n) =>
    Buffer.from(whole.slice(n * 40, n * 40 + 40)).toString(),
  );
  const run = startRun(true);
  let kept = 0;
  const time = measureInterleaved(
    [
      {
        name: "copy",
        run: () => {
          for (let n = 0; n < TEXTS; n += 1) {
            let text = "";
            for (const piece of pieces) text += piece;
            kept += Buffer.from(text).length;
          }
        },
      },
      {
        name: "watch",
        run: () => {
          for (let n = 0; n < TEXTS; n += 1) {
            for (const piece of pieces) run.text(piece);
            run.record({ type: "message.sent", text: "done" });
          }
        },
      },
    ],
    { blocks: 21, count: TEXTS },
  );
  if (kept === 0) throw new Error("Nothing was copied.");
  return ratio(time.watch, time.copy);
}

function measureGrowth(events: number): Story["results"] {
  const run = startRun(true);
  const block = (from: number, count: number): number => {
    const start = process.hrtime.bigint();
    for (let n = from; n < from + count; n += 1) run.record(callFact(n));
    return Number(process.hrtime.bigint() - start) / count;
  };
  const SIZE = 20_000;
  block(0, SIZE);
  const early = Array.from({ length: 5 }, (_, n) => block(SIZE * (n + 1), SIZE));
  const heapEarly = heapAfterCollection();
  for (let n = SIZE * 6; n < events - SIZE * 5; n += SIZE) block(n, SIZE);
  const late = Array.from({ length: 5 }, (_, n) => block(events - SIZE * (5 - n), SIZE));
  const heapLate = heapAfterCollection();
  return [
    {
      what: `event ${events.toLocaleString("en")} against the first ones`,
      value: median(late) / median(early),
      unit: "×",
      target: 1.1,
    },
    {
      what: "memory that a longer run takes",
      value: Math.max(0, heapLate - heapEarly) / events,
      unit: "B per event",
      target: 1,
    },
  ];
}
