import { definePhaseGraph, type Run, type RunEvent } from "@phasekit/core";
import { manualClock } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { startRun } from "../../test/case-driver.ts";
import { escalation } from "../escalation.ts";
import { limits, type LimitsOptions } from "../watchdog.ts";

const MINUTE = 60_000;

function start(options: LimitsOptions = {}, phase = "coding") {
  const clock = manualClock({ step: 1 });
  const graph = definePhaseGraph({ name: "one", initial: phase, phases: { [phase]: { next: [], final: true } } });
  const policies = [limits(options), escalation()];
  const { run, log } = startRun({ mode: "gate", graph: graph, policies, clock: clock.now });
  const pass = (minutes: number): void => {
    clock.advance(minutes * MINUTE);
    run.tick();
  };
  run.beforeTurn();
  return { run, log, pass };
}

const openKinds = (run: Run): readonly string[] => [...run.view.alerts.values()].map(({ kind }) => kind);
const consequences = (log: readonly RunEvent[]): readonly RunEvent[] =>
  log.filter(({ type }) => ["stop.requested", "review.requested", "tool.refused"].includes(type));

describe("limits of the clock", () => {
  it.each([
    { minutes: 9, kinds: [] },
    { minutes: 10, kinds: ["call-timeout"] },
  ])("after $minutes minutes a pending call raises $kinds", ({ minutes, kinds }) => {
    const { run, pass } = start();
    run.beforeTool({ tool: "bash", input: { command: "make" } });
    pass(minutes);
    expect(openKinds(run)).toEqual(kinds);
  });

  it("a call that comes back in time clears the alert, and nothing follows from it", () => {
    const { run, log, pass } = start();
    const { call } = run.beforeTool({ tool: "bash", input: { command: "make" } });
    pass(10);
    run.record({ type: "tool.finished", call, outcome: "ok", output: "built" });
    expect(openKinds(run)).toEqual([]);
    expect(consequences(log)).toEqual([]);
  });

  it.each([
    { phase: "coding", minutes: 29, stopped: false },
    { phase: "coding", minutes: 120, stopped: true },
    { phase: "waiting", minutes: 120, stopped: false },
  ])("$minutes minutes of silence in phase $phase, stopped: $stopped", ({ phase, minutes, stopped }) => {
    const { run, pass } = start({ stops: ["silence"] }, phase);
    pass(minutes);
    expect(run.view.stopped !== undefined).toBe(stopped);
  });
});
