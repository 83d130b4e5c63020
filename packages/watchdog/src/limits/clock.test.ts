import { definePhaseGraph, type Run, type RunEvent } from "@phasekit/core";
import { manualClock } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { startRun } from "../../test/case-driver.ts";
import { escalation } from "../escalation.ts";
import { limits, type LimitsOptions } from "../watchdog.ts";

const MINUTE = 60_000;

function start(options: LimitsOptions = {}, { phase = "coding", waiting = false } = {}) {
  const clock = manualClock({ step: 1 });
  const graph = definePhaseGraph({
    name: "one",
    initial: phase,
    phases: { [phase]: { next: [], final: true, waiting } },
  });
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
    { phase: "coding", waiting: false, minutes: 29, stopped: false },
    { phase: "coding", waiting: false, minutes: 120, stopped: true },
    { phase: "hold", waiting: true, minutes: 120, stopped: false },
    // The name of a phase says nothing.
    { phase: "reviewer-code", waiting: false, minutes: 120, stopped: true },
    { phase: "waiting", waiting: false, minutes: 120, stopped: true },
  ])(
    "`silence` stops after $minutes minutes in phase $phase, waiting $waiting: $stopped",
    ({ phase, waiting, minutes, stopped }) => {
      const { run, pass } = start({ stops: ["silence"] }, { phase, waiting });
      pass(minutes);
      expect(openKinds(run).includes("silence")).toBe(stopped);
      expect(run.view.stopped !== undefined).toBe(stopped);
    },
  );

  it("`silence` has no deadline in a phase that waits", () => {
    expect(start({}, { phase: "hold", waiting: true }).run.wakeAt).toBeUndefined();
    expect(start({ waiting: ["hold"] }, { phase: "hold" }).run.wakeAt).toBeUndefined();
    expect(start({}, { phase: "hold" }).run.wakeAt).toBeTypeOf("number");
  });

  it("`silence` refuses a waiting phase that the graph lacks", () => {
    expect(() => start({ waiting: ["hodl"] })).toThrow(expect.objectContaining({ code: "UNKNOWN_PHASE" }) as Error);
  });
});
