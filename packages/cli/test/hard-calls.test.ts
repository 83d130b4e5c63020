import { codingRun } from "@phasekit/coding";
import { createRun, definePhaseGraph, type EventOf, type Run, type RunEvent } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import { summarizeRun } from "@phasekit/ledger";
import { createStory } from "@phasekit/ledger/story";
import { reading } from "@phasekit/reading";
import { overviewOf } from "@phasekit/report";
import { circuitBreaker } from "@phasekit/watchdog";
import { describe, expect, it } from "vitest";
import { eventLine } from "../src/render/event-line.ts";
import type { Colors } from "../src/terminal.ts";
import { type HardCall, hardCalls } from "./__fixtures__/hard-calls.ts";

function record(run: Pick<Run, "record">, { tool, input, outcome = "ok", exitCode, output }: HardCall): void {
  run.record({
    type: "tool.finished",
    tool,
    input,
    outcome,
    output,
    ...(exitCode !== undefined && { exitCode }),
  });
}

function play(calls: readonly HardCall[]): readonly RunEvent[] {
  const events: RunEvent[] = [];
  const run = codingRun({ mode: "observe" });
  run.subscribe((step) => void events.push(...step));
  for (const call of calls) record(run, call);
  return events;
}

const graph = definePhaseGraph({ name: "g", initial: "work", phases: { work: { next: [] } } });

/** The view of a run without phases to move to, so that one entry has all calls. */
function viewOf(calls: readonly HardCall[]): Run["view"] {
  const run = createRun({ graph, interpret: reading() });
  for (const call of calls) record(run, call);
  return run.view;
}

const plain = new Proxy({}, { get: () => (text: string) => text }) as Colors;

const isResult = (event: RunEvent): event is EventOf<"tool.finished"> => event.type === "tool.finished";

describe("hard calls", () => {
  it.each(hardCalls)("$name", (call) => {
    const [event] = play([call]).filter(isResult);
    expect(callOf(event!).failed).toBe(call.failed);
    expect(callOf(event!).changes.map(({ path }) => path)).toEqual(call.changes ?? []);
    const check = callOf(event!).check;
    expect(check && { kind: check.kind, verdict: check.verdict }).toEqual(call.check);
  });

  const expected = hardCalls.filter(({ failed }) => failed).length;
  const events = play(hardCalls);
  const story = createStory();
  for (const event of events) story.add(event);

  it.each([
    ["the view", () => viewOf(hardCalls).entry.toolErrors],
    [
      "the ledger",
      () => summarizeRun(events).phases.reduce((sum, { aggregates }) => sum + aggregates.total.metric.toolErrors, 0),
    ],
    ["why", () => story.get().failedCalls],
    ["the report's timeline", () => overviewOf(events).timeline.slices.reduce((sum, { errors }) => sum + errors, 0)],
    ["the report's spending", () => overviewOf(events).spend.total.failedCalls],
    [
      "watch",
      () =>
        events.filter(
          (event) =>
            isResult(event) &&
            / — failed$|^TESTS +fail/.test(eventLine(event, { all: true, colors: plain, width: 500 }) ?? ""),
        ).length,
    ],
  ])("%s counts the same failed calls", (_who, count) => {
    expect(count()).toBe(expected);
  });

  it.each(hardCalls)("the watchdog counts $name as the account does", (call) => {
    const guarded = createRun({ graph, mode: "gate", interpret: reading(), policies: [circuitBreaker({ max: 2 })] });
    record(guarded, call);
    record(guarded, call);
    expect(guarded.beforeTool({ tool: call.tool, input: call.input }).allow).toBe(!call.failed);
  });
});
