import { createProgress } from "@phasekit/tooling/progress";
import { describe, expect, it } from "vitest";
import { type Comparison, defineComparison, type MeasuredComparison } from "./comparison.ts";
import { countRows, runComparisons } from "./run-comparisons.ts";

const first = defineComparison({
  title: "Cost of a result",
  baseline: "JSON.stringify of the event",
  rows: {
    record: { what: "the whole record()", unit: "×", target: 3 },
    heap: { what: "heap", unit: "B per event", target: 1 },
    bare: { what: "a bare loop", unit: "×" },
  },
  measure: async ({ now, pause, baseline, row }) => {
    await pause(0, 2);
    baseline("120 ns");
    row("record", 1.234);
    now("the heap");
    await pause(1, 2);
    row("heap", 2);
    row("bare", 0.5, "+3 µs");
    return ["One note.", "Another one."];
  },
});

const second = defineComparison({
  title: "Reading a log",
  baseline: "JSON.parse",
  rows: { read: { what: "read", unit: "ms" } },
  measure: ({ row }) => {
    row("read", 12);
    return Promise.resolve([]);
  },
});

const broken = (error: Error): Comparison =>
  defineComparison({
    title: "A server",
    baseline: "plain SQL",
    rows: { first: { what: "append", unit: "×" }, second: { what: "read", unit: "×" } },
    measure: ({ row }) => {
      row("first", 1);
      return Promise.reject(error);
    },
  });

/** Runs comparisons as parts with one each; returns both outputs in one text. */
async function run(comparisons: readonly Comparison[], { signal = new AbortController().signal } = {}) {
  const parts = comparisons.map((comparison, index) => ({ name: `part${String(index)}`, comparisons: [comparison] }));
  let text = "";
  const write = (more: string): void => void (text += more);
  const progress = createProgress({
    total: countRows(parts),
    unit: "rows",
    signal,
    clock: () => 0,
    terminal: { out: write, err: write, isLive: false, columns: () => undefined },
  });
  const measured: MeasuredComparison[] = [];
  const ended = runComparisons(parts, { progress, measured, signal });
  const error = await ended.then(() => undefined).catch((thrown: unknown) => thrown);
  return { text, measured, error };
}

describe("runComparisons", () => {
  it("prints every row when it is measured, with what is left before each task", async () => {
    const { text, error } = await run([first, second]);
    expect(error).toBeUndefined();
    expect(text).toMatchInlineSnapshot(`
      "[0/4 rows, 4 left, 0 s] part0: Cost of a result
      Cost of a result
        1 × = JSON.stringify of the event: 120 ns

        the whole record()              1.23 ×      ≤ 3  ok
      [1/4 rows, 3 left, 0 s] part0: the heap
        heap                   2.0 B per event      ≤ 1  over
        a bare loop                     0.50 ×  +3 µs

        One note.
        Another one.

      [3/4 rows, 1 left, 0 s] part1: Reading a log
      Reading a log
        1 × = JSON.parse

        read             12.0 ms
      "
    `);
  });

  it("keeps the results for --json", async () => {
    const { measured } = await run([first]);
    expect(measured).toMatchInlineSnapshot(`
      [
        {
          "baseline": "JSON.stringify of the event: 120 ns",
          "notes": [
            "One note.",
            "Another one.",
          ],
          "results": [
            {
              "target": 3,
              "unit": "×",
              "value": 1.234,
              "what": "the whole record()",
            },
            {
              "target": 1,
              "unit": "B per event",
              "value": 2,
              "what": "heap",
            },
            {
              "detail": "+3 µs",
              "unit": "×",
              "value": 0.5,
              "what": "a bare loop",
            },
          ],
          "title": "Cost of a result",
        },
      ]
    `);
  });

  it("a comparison that cannot be measured on this machine does not count, and the reason is printed", async () => {
    const missing: Comparison = { ...first, missing: () => "No recorded runs found." };
    const { text } = await run([missing, second]);
    expect(text).toMatchInlineSnapshot(`
      "Cost of a result
        1 × = JSON.stringify of the event

        No recorded runs found.

      [0/1 rows, 1 left, 0 s] part1: Reading a log
      Reading a log
        1 × = JSON.parse

        read             12.0 ms
      "
    `);
  });

  it("reports a comparison that fails, and measures the others", async () => {
    const { text, measured } = await run([broken(new Error("no disk")), second]);
    expect(text).toMatchInlineSnapshot(`
      "[0/3 rows, 3 left, 0 s] part0: A server
      A server
        1 × = plain SQL

        append              1.00 ×

        FAILED part0: Error: no disk

      [1/3 rows, 2 left, 0 s] part1: Reading a log
      Reading a log
        1 × = JSON.parse

        read             12.0 ms
      "
    `);
    expect(measured.map(({ title, results, failure }) => [title, results.length, failure?.split("\n")[0]])).toEqual([
      ["A server", 1, "Error: no disk"],
      ["Reading a log", 1, undefined],
    ]);
  });

  it("reports a comparison that does not measure all of its rows", async () => {
    const { text } = await run([{ ...second, measure: () => Promise.resolve([]) }]);
    expect(text).toContain('FAILED part0: Error: "Reading a log" did not measure 1 of its rows.');
  });

  it("ends after an interruption and keeps the rows so far", async () => {
    const controller = new AbortController();
    const interrupted: Comparison = {
      ...first,
      measure: async ({ row, pause }) => {
        row("record", 1);
        controller.abort(new Error("interrupted"));
        await pause(1, 2);
        return [];
      },
    };
    const { measured, error } = await run([interrupted, second], { signal: controller.signal });
    expect(error).toEqual(new Error("interrupted"));
    expect(measured.map(({ title, results, failure }) => [title, results.length, failure])).toEqual([
      ["Cost of a result", 1, undefined],
    ]);
  });
});
