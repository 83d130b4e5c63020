import type { RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { startRun } from "../../test/case-driver.ts";
import { escalation } from "../escalation.ts";
import { limits } from "../watchdog.ts";

const alertsOf = (log: readonly RunEvent[]) =>
  log.flatMap((event) => (event.type === "alert.raised" && event.kind === "shared-call" ? [event] : []));

function play(calls: readonly [worker: string, call: string][], at?: number) {
  const { run, log } = startRun({ policies: [limits(at === undefined ? {} : { sharedCalls: at }), escalation()] });
  for (const [child, call] of calls)
    run.record({ type: "child.progressed", child, toolCalls: 1, fingerprints: [`read_file ${call} #1`] });
  return { run, log };
}

const workers = (n: number): [string, string][] =>
  Array.from({ length: n }, (_, index) => [`w${index}`, "config.json"]);

describe("sharedCalls", () => {
  it.each([
    { calls: workers(4), at: undefined, raised: 0 },
    { calls: workers(5), at: undefined, raised: 1 },
    { calls: workers(9), at: 10, raised: 0 },
    { calls: workers(10), at: 10, raised: 1 },
    { calls: workers(2), at: 2, raised: 1 },
  ])("$calls.length workers make one call, threshold $at: alerts $raised", ({ calls, at, raised }) => {
    expect(alertsOf(play(calls, at).log)).toHaveLength(raised);
  });

  it("tells how many calls and how many workers share one call, and raises one alert", () => {
    const { log, run } = play([...workers(3), ...workers(3), ["w9", "other.json"], ...workers(2)]);
    expect(alertsOf(log)).toMatchObject([
      { count: 5, evidence: { calls: 5, workers: 3 }, subject: "read_file config.json #1" },
    ]);
    run.beforeTurn();
    expect(run.view.alerts.size).toBe(1);
    expect(log.find(({ type }) => type === "nudge.sent")).toMatchObject({
      by: "escalation",
      text:
        "3 workers made the same call `read_file config.json`, 8 times in all. " +
        "Let one of them make it, and pass the answer on to the others.",
    });
  });

  it("says nothing about one worker that repeats itself: its own run does", () => {
    expect(alertsOf(play(Array.from({ length: 9 }, () => ["w1", "a"])).log)).toEqual([]);
  });

  it("says nothing about workers that make different calls", () => {
    expect(alertsOf(play(Array.from({ length: 9 }, (_, n) => [`w${n}`, `file ${n}`])).log)).toEqual([]);
  });

  it("counts anew after a message, and clears the alert", () => {
    const { run } = play(workers(5));
    expect(run.view.alerts.size).toBe(1);
    run.record({ type: "message.received", text: "go on" });
    expect(run.view.alerts.size).toBe(0);
  });
});
