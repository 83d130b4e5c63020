import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { budget, createRun, replayRun, type RunEvent, simulateRun, stallReminder } from "@phasekit/core";
import { measureInterleaved, median, ratio } from "./measure.ts";
import type { Story } from "./comparison.ts";
import { toolFact } from "./sample-events.ts";
import { miniTracker, phases, toolOf } from "./tracking.ts";

const EVENTS = 10_000;

/** What it takes to read a run back, and to decide it again. */
export function readingLogs(): Story {
  const log = writeLog();
  const folder = mkdtempSync(join(tmpdir(), "phasekit-bench-"));
  try {
    const file = join(folder, "run.jsonl");
    const text = log.map((event) => JSON.stringify(event)).join("\n");
    writeFileSync(file, text);
    return measureReading(file, { bytes: text.length, derived: log.filter(({ cause }) => cause !== undefined).length });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measureReading(file: string, { bytes, derived }: { readonly bytes: number; readonly derived: number }): Story {
  const readAndParse = (): readonly unknown[] =>
    readFileSync(file, "utf8")
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  const time = measureInterleaved(
    [
      { name: "parse", run: () => readAndParse() },
      { name: "replay", run: () => replayRun(readAndParse(), options()) },
      { name: "simulate", run: () => simulateRun(readAndParse(), options()) },
    ],
    { blocks: 31, count: EVENTS },
  );
  return {
    title: "What it takes to read a log back",
    baseline: `read the file and JSON.parse its ${EVENTS.toLocaleString("en")} lines: ${((median(time.parse) * EVENTS) / 1e6).toFixed(1)} ms`,
    results: [
      { what: "read, parse and replayRun", value: ratio(time.replay, time.parse), unit: "×", target: 1.6 },
      { what: "read, parse and simulateRun", value: ratio(time.simulate, time.parse), unit: "×", target: 4 },
    ],
    notes: [
      `The log has ${(bytes / EVENTS).toFixed(0)} bytes per event and ${derived.toLocaleString("en")} derived facts; the run has a tracker, a budget and a reminder.`,
    ],
  };
}

const options = () => ({ graph: phases, policies: [miniTracker(), stallReminder(), budget({ turns: 1_000_000 })] });

/** A run as a host with all three questions makes it: a turn, its answer, a request and a result of 1 KB. */
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
    const { call, input, ...result } = toolFact(n);
    const tool = toolOf(n);
    run.beforeTool({ call, tool, input });
    run.record({ ...result, call, tool });
  }
  return log.slice(0, EVENTS);
}
