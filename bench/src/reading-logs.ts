import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { budget, createRun, replayRun, type RunEvent, simulateRun, stallReminder } from "@phasekit/core";
import { defineComparison } from "./comparison.ts";
import { measureInterleaved, median, type Pause, ratio } from "./measure.ts";
import { toolEvent } from "./sample-events.ts";
import { miniTracker, phases, toolOf } from "./tracking.ts";

const EVENTS = 10_000;

/** The time to replay a stored run, and to simulate it: to decide it again. */
export const readingLogs = defineComparison({
  title: "Replaying and simulating a stored run",
  baseline: `read the file and JSON.parse its ${EVENTS.toLocaleString("en")} lines`,
  rows: {
    replay: { what: "read, parse and replayRun", unit: "×", target: 1.8 },
    simulate: { what: "read, parse and simulateRun", unit: "×", target: 4.6 },
  },
  measure: async ({ pause, baseline, row }) => {
    const log = writeLog();
    const derived = log.filter(({ cause }) => cause !== undefined).length;
    const text = log.map((event) => JSON.stringify(event)).join("\n");
    const folder = mkdtempSync(join(tmpdir(), "phasekit-bench-"));
    try {
      const file = join(folder, "run.jsonl");
      writeFileSync(file, text);
      const time = await measureReading(file, pause);
      baseline(`${((median(time.parse) * EVENTS) / 1e6).toFixed(1)} ms`);
      row("replay", ratio(time.replay, time.parse));
      row("simulate", ratio(time.simulate, time.parse));
    } finally {
      rmSync(folder, { recursive: true });
    }
    return [
      `The log has ${(text.length / EVENTS).toFixed(0)} bytes per event and ${String(derived)} derived events.`,
      "The run has a tracker, a budget and a stall reminder.",
    ];
  },
});

function measureReading(file: string, pause: Pause) {
  const readAndParse = (): readonly unknown[] =>
    readFileSync(file, "utf8")
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  return measureInterleaved(
    [
      { name: "parse", run: () => readAndParse() },
      { name: "replay", run: () => replayRun(readAndParse(), options()) },
      { name: "simulate", run: () => simulateRun(readAndParse(), options()) },
    ],
    { blocks: 31, count: EVENTS, pause },
  );
}

const options = () => ({ graph: phases, policies: [miniTracker(), stallReminder(), budget({ turns: 1_000_000 })] });

/** A run as a host with all three questions makes it: a turn, its answer, a request and a result of 1 kB. */
function writeLog(): readonly RunEvent[] {
  let now = 1_790_000_000_000;
  const run = createRun({ ...options(), id: "bench", clock: () => (now += 40) });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  for (let n = 0; log.length < EVENTS; n += 1) {
    run.beforeTurn();
    run.record({
      type: "model.answered",
      model: "bench-1",
      usage: { inputTokens: 9000 + n, outputTokens: 120 },
      finishReason: "tool-calls",
      durationMs: 900,
    });
    const { call, input, ...result } = toolEvent(n);
    const tool = toolOf(n);
    run.beforeTool({ call, tool, input });
    run.record({ ...result, call, tool });
  }
  return log.slice(0, EVENTS);
}
