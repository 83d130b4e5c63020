import { codingRun } from "@phasekit/coding";
import type { NewEvent } from "@phasekit/core";
import { defineComparison } from "./comparison.ts";
import { measureInterleaved, median, type Pause, ratio } from "./measure.ts";

const POOL = 384;
const OUTPUT = 10_240;

/** The cost of one large tool result with the default preset, which interprets, redacts, detects and decides. */
export const codingCost = defineComparison({
  title: "Cost of one large tool result with codingRun()",
  baseline: "JSON.stringify of the same event, 10 kB",
  rows: {
    record: { what: "the whole record(): a file read, a search, a test run, an edit", unit: "×", target: 8 },
  },
  measure: async ({ pause, baseline, row }) => {
    const time = await measureRecord(pause);
    baseline(`${median(time.stringify).toFixed(0)} ns`);
    row("record", ratio(time.record, time.stringify));
    return [`${String(POOL)} different results, repeated; all of each is searched for secrets.`];
  },
});

function measureRecord(pause: Pause) {
  const events = Array.from({ length: POOL }, (_, n) => makers[n % makers.length]?.(n) as NewEvent);
  const { record, beforeTurn } = codingRun({ mode: "gate" });
  const stored = events.map((event, seq) => ({ ...event, seq, at: 1_790_000_000_000 + seq, turn: seq }));
  return measureInterleaved(
    [
      {
        name: "stringify",
        run: () => {
          for (const event of stored) JSON.stringify(event);
        },
      },
      {
        name: "record",
        run: () => {
          beforeTurn();
          for (const event of events)
            if (!record(event)) throw new Error("An event was not recorded; the figures mean nothing.");
        },
      },
    ],
    { blocks: 31, count: POOL, pause },
  );
}

/** Makers of a file read, a search, a test run and an edit. */
const makers: readonly ((n: number) => NewEvent)[] = [
  (n) =>
    finished(
      "Read",
      { file_path: `src/module-${String(n)}.ts` },
      {
        lineOf: (line) =>
          `${String(line).padStart(6)}→  const value${String(n)}_${String(line)} = compute(left[${String(line)}], right, { deep: true });`,
      },
    ),
  (n) =>
    finished(
      "Grep",
      { pattern: `handler${String(n)}`, path: "src" },
      {
        lineOf: (line) =>
          `src/part-${String(line % 23)}/file-${String(line)}.ts:${String(line * 3)}:  handler${String(n)}(request, response);`,
      },
    ),
  (n) =>
    finished(
      "Bash",
      { command: `npx vitest run test/part-${String(n)}.test.ts` },
      {
        lineOf: (line) =>
          ` ✓ test/part-${String(n)}.test.ts > case ${String(line)} keeps what it was given ${String((n + line) % 7)}ms`,
        end: "\n Test Files  1 passed (1)\n      Tests  120 passed (120)\n",
      },
    ),
  (n) =>
    finished(
      "Edit",
      { file_path: `src/module-${String(n)}.ts`, old_string: `value${String(n)}`, new_string: `result${String(n)}` },
      {
        lineOf: (line) =>
          `${String(line).padStart(6)}  +  const result${String(n)}_${String(line)} = compute(left[${String(line)}], right);`,
      },
    ),
];

/** A result of 10 kB of such lines, from a host that records no requests. */
function finished(
  tool: string,
  input: Readonly<Record<string, string>>,
  { lineOf, end = "" }: { readonly lineOf: (line: number) => string; readonly end?: string },
): NewEvent {
  let output = "";
  for (let line = 1; output.length < OUTPUT - end.length; line += 1) output += `${lineOf(line)}\n`;
  return {
    type: "tool.finished",
    tool,
    outcome: "ok",
    input,
    output: Buffer.from(output.slice(0, OUTPUT - end.length) + end).toString(),
  };
}
