import { createRun, type RunEvent } from "@phasekit/core";
import { renderReport } from "@phasekit/report/node";
import { defineComparison } from "./comparison.ts";
import { measureInterleaved, type Pause, ratio } from "./measure.ts";

const EVENTS = 10_000;

/** The time to make a report of a long run. */
export const reportCost = defineComparison({
  title: "Making a report",
  baseline: `JSON.parse of its ${String(EVENTS)} events`,
  rows: {
    report: { what: "a report of 10,000 events", unit: "×" },
    "report as stored": { what: "the same without redaction", unit: "×" },
  },
  measure: async ({ pause, row }) => {
    const time = await measureReport(pause);
    row("report", ratio(time.report, time.parse));
    row("report as stored", ratio(time["report as stored"], time.parse));
    return ["Most of it is compression: a report is a file that people send."];
  },
});

function measureReport(pause: Pause) {
  const events = longLog(EVENTS);
  const text = events.map((event) => JSON.stringify(event));
  return measureInterleaved(
    [
      {
        name: "parse",
        run: () => {
          for (const line of text) JSON.parse(line);
        },
      },
      {
        name: "report",
        run: () => {
          renderReport([events]);
        },
      },
      {
        name: "report as stored",
        run: () => {
          renderReport([events], { redact: false });
        },
      },
    ],
    { blocks: 7, count: EVENTS, warmUp: 2, pause },
  );
}

function longLog(count: number): readonly RunEvent[] {
  const events: RunEvent[] = [];
  let now = 1_000_000;
  const run = createRun({ id: "run-long", clock: () => now, task: { text: "A long run" } });
  run.subscribe((step) => events.push(...step));
  for (let turn = 0; events.length < count; turn += 1) {
    run.beforeTurn();
    const { call } = run.beforeTool({ tool: "read_file", input: { path: `src/module-${String(turn)}.ts` } });
    now += 40;
    run.record({
      type: "tool.finished",
      call,
      outcome: "ok",
      output: `export const value${String(turn)} = ${String(turn)};\n`.repeat(8),
    });
  }
  run.end();
  return events.slice(0, count);
}
