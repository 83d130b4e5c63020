import { codingRun } from "@phasekit/coding";
import type { NewEvent } from "@phasekit/core";
import { measureInterleaved, median, ratio } from "./measure.ts";
import type { Story } from "./comparison.ts";

const POOL = 384;
const OUTPUT = 10_240;

/** What one large tool result costs with the default preset: everything it interprets, redacts, detects and decides. */
export function codingCost(): Story {
  const facts = Array.from({ length: POOL }, (_, n) => results[n % results.length]?.(n) as NewEvent);
  const { record, beforeTurn } = codingRun({ mode: "gate" });
  const stored = facts.map((fact, seq) => ({ ...fact, seq, at: 1_790_000_000_000 + seq, turn: seq }));
  const time = measureInterleaved(
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
          for (const fact of facts)
            if (!record(fact)) throw new Error("A fact was not taken; the numbers mean nothing.");
        },
      },
    ],
    { blocks: 31, count: POOL },
  );
  return {
    title: "What one large tool result costs with codingRun()",
    baseline: `JSON.stringify of the same event, 10 kB: ${median(time.stringify).toFixed(0)} ns`,
    results: [
      {
        what: "the whole record(): a file read, a search, a test run, an edit",
        value: ratio(time.record, time.stringify),
        unit: "×",
        target: 8,
      },
    ],
    notes: ["384 different results, over and over; secrets are looked for in all of each."],
  };
}

const results: readonly ((n: number) => NewEvent)[] = [
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

/** A result of this many lines, as a host that tells no requests would hand it over. */
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
