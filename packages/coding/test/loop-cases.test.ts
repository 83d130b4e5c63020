import type { RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { type CaseEvent, type LoopCase, tell } from "../../watchdog/test/case-driver.ts";
import { healthyRuns } from "../../watchdog/test/cases/healthy-runs.ts";
import loopCases from "../../watchdog/test/cases/loop-cases.json" with { type: "json" };
import { ownLoops } from "../../watchdog/test/cases/own-loops.ts";
import { kinds } from "../../watchdog/test/variations/index.ts";
import { codingRun, type CodingRunOptions } from "../src/coding-run.ts";

/** The whole preset goes through a case: the tracker's interpreter, fingerprints, detectors, escalation and gates. */
function play(events: readonly CaseEvent[], options: CodingRunOptions = {}): readonly RunEvent[] {
  let time = 0;
  const run = codingRun({ id: "case", clock: () => (time += 1), ...options });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  for (const event of events) tell(run, event);
  run.beforeTurn();
  const failures = log.flatMap((event) => (event.type === "policy.failed" ? [event.message] : []));
  expect(failures).toEqual([]);
  return log;
}

const alertOf = (events: readonly CaseEvent[]): string | undefined => play(events).find((event) => event.type === "alert.raised")?.kind;

const labelled = loopCases as unknown as readonly LoopCase[];
const variations = kinds.flatMap(({ kind, verdict, variations: all }) => all.map((events, index) => ({ name: `${kind} (${String(index + 1)})`, consensus: verdict, events })));
const loops = [...labelled, ...variations].filter(({ consensus }) => consensus === "fire").concat(ownLoops.map(({ name, events }) => ({ name, consensus: "fire" as const, events })));
const healthy = [...labelled, ...variations].filter(({ consensus }) => consensus === "silent");

describe("the preset on loops", () => {
  it.each(loops)("$name raises an alert", ({ events }) => {
    expect(alertOf(events)).toBeDefined();
  });
});

describe("the preset on healthy repetition", () => {
  it.each(healthy)("$name raises none", ({ events }) => {
    expect(alertOf(events)).toBeUndefined();
  });

  it.each(healthyRuns)("$name in mode gate: nothing refused or stopped, at most one word about loops", ({ events }) => {
    const log = play(events, { mode: "gate" });
    expect(log.filter(({ type }) => type === "tool.refused" || type === "stop.requested" || type === "review.requested")).toEqual([]);
    expect(log.filter((event) => event.type === "nudge.sent" && event.by === "escalation").length).toBeLessThanOrEqual(1);
  });
});
