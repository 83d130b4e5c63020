import { createRun, nameTableInterpreter, type NewEvent, type RunEvent, type RunPort } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { escalation, watchdog } from "@phasekit/watchdog";
import { createInterpreter } from "./create-interpreter.ts";
import { defineComparison } from "./comparison.ts";
import {
  difference,
  heapAfterCollection,
  measureInterleaved,
  median,
  type Pause,
  ratio,
  type Subject,
} from "./measure.ts";
import { EVENT_BYTES, logOf, toolEvent } from "./sample-events.ts";

const POOL = 4096;
const POLLS = 512;
const TEXT = 65_536;
const TEXTS = 4;
const EVENTS = 1_000_000;
/** Events of one block of the long run. */
const BLOCK = 20_000;

/** The cost of the watchdog: calls that differ, an endless poll, streamed text, and a run of a million events. */
export const watchdogCost = defineComparison({
  title: "Cost of the watchdog",
  baseline: "JSON.stringify of the same stored event",
  rows: {
    calls: { what: "reading and watchdog, calls that differ", unit: "×", target: 9 },
    "calls, given": { what: "  of it the watchdog, with the meaning given", unit: "×" },
    polls: { what: "reading and watchdog, an endless poll of 10 kB", unit: "×", target: 8 },
    "polls, given": { what: "  of it the watchdog, with the meaning given", unit: "×" },
    text: { what: "streamed text, against copying it", unit: "×", target: 20 },
    late: { what: `event ${EVENTS.toLocaleString("en")} against the first ones`, unit: "×", target: 1.1 },
    heap: { what: "memory that a longer run takes", unit: "B per event", target: 1 },
  },
  measure: async ({ now, pause, row }) => {
    now("calls that differ");
    const calls = await measureCalls(pause);
    row("calls", ratio(difference(calls.watched, calls.plain), calls.stringify));
    row("calls, given", ratio(difference(calls.judged, calls.given), calls.stringify));
    now("an endless poll");
    const polls = await measurePolls(pause);
    row("polls", ratio(difference(polls.watched, polls.plain), polls.stringify));
    row("polls, given", ratio(difference(polls.judged, polls.given), polls.stringify));
    now("streamed text");
    row("text", await measureText(pause));
    now(`record ${EVENTS.toLocaleString("en")} events`);
    const { late, heap } = await measureGrowth(pause);
    row("late", late);
    row("heap", heap);
    return [
      `Stringify takes ${median(calls.stringify).toFixed(0)} ns for a call that differs, ${String(EVENT_BYTES)} bytes,`,
      `and ${median(polls.stringify).toFixed(0)} ns for the poll, with 10 kB of output.`,
      "Calls and poll are record() with reader and policies less record() without them, so the second interpreter and",
      "the dispatch of core to nine more policies are in them. In the poll the call is the same, and its 10 kB answer",
      "changes every time. Streamed text comes in pieces of 40 characters, and the clipping of core is in it;",
      "copying appends them and makes one text of it.",
      `Growth is event ${EVENTS.toLocaleString("en")} against event 1,000, and the heap between.`,
    ];
  },
});

function startRun(watched: boolean): RunPort {
  return watched
    ? createRun({ interpret: [nameTableInterpreter(), reading()], policies: [watchdog(), escalation()] })
    : createRun({ interpret: nameTableInterpreter() });
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
        if (!record(event)) throw new Error("An event was not recorded; the figures mean nothing.");
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
function callEvent(n: number): NewEvent {
  const { call: _used, output, ...event } = toolEvent(n);
  return { ...event, output: Buffer.from(`// ${String(n).padStart(8, "0")}\n${String(output).slice(12)}`).toString() };
}

function measureCalls(pause: Pause) {
  const events = Array.from({ length: POOL }, (_, n) => callEvent(n));
  return measureInterleaved(
    [stringifying(logOf(events).filter(({ type }) => type === "tool.finished")), ...recordings(events)],
    { blocks: 31, count: POOL, pause },
  );
}

function pollEvent(n: number): NewEvent {
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

function measurePolls(pause: Pause) {
  const events = Array.from({ length: POLLS }, (_, n) => pollEvent(n));
  // Without clipping, a store would write all of the host's text: the baseline is that.
  const stored = events.map(
    (event, seq) => ({ ...event, seq, at: 1_790_000_000_000, turn: seq, meaning: {} }) as unknown as RunEvent,
  );
  return measureInterleaved([stringifying(stored), ...recordings(events)], { blocks: 31, count: POLLS, pause });
}

async function measureText(pause: Pause): Promise<number> {
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
  const time = await measureInterleaved(
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
    { blocks: 21, count: TEXTS, pause },
  );
  if (kept === 0) throw new Error("Nothing was copied.");
  return ratio(time.watch, time.copy);
}

/** How much slower the last events are than the first, and the bytes that every event between takes. */
async function measureGrowth(pause: Pause): Promise<{ readonly late: number; readonly heap: number }> {
  const run = startRun(true);
  let count = 0;
  const recordBlock = async (): Promise<number> => {
    await pause(count, EVENTS);
    const from = count;
    count += BLOCK;
    const start = process.hrtime.bigint();
    for (let n = from; n < from + BLOCK; n += 1) run.record(callEvent(n));
    return Number(process.hrtime.bigint() - start) / BLOCK;
  };
  const recordBlocks = async (blocks: number): Promise<readonly number[]> => {
    const times: number[] = [];
    for (let block = 0; block < blocks; block += 1) times.push(await recordBlock());
    return times;
  };
  await recordBlock();
  const early = await recordBlocks(5);
  const heapEarly = heapAfterCollection();
  await recordBlocks(EVENTS / BLOCK - 11);
  const late = await recordBlocks(5);
  const heapLate = heapAfterCollection();
  return { late: median(late) / median(early), heap: Math.max(0, heapLate - heapEarly) / EVENTS };
}
