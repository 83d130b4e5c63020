import { describe, expect, it } from "vitest";
import { activityLog } from "../src/activity-log.ts";
import { escalation } from "../src/escalation.ts";
import { reminders } from "../src/reminders.ts";
import { watchdog } from "../src/watchdog.ts";
import { type CaseEvent, firstAlert, startRun, tell } from "./case-driver.ts";
import { healthyRuns } from "./cases/healthy-runs.ts";

function observe(events: readonly CaseEvent[]): { readonly refusals: number; readonly stops: number; readonly nudges: readonly string[]; readonly failures: readonly string[] } {
  const { run, log } = startRun({ mode: "gate", policies: [watchdog(), activityLog(), escalation(), reminders()] });
  for (const event of events) tell(run, event);
  run.beforeTurn();
  return {
    refusals: log.filter(({ type }) => type === "tool.refused").length,
    stops: log.filter(({ type }) => type === "stop.requested" || type === "review.requested").length,
    nudges: log.flatMap((event) => (event.type === "nudge.sent" ? [event.text] : [])),
    failures: log.flatMap((event) => (event.type === "policy.failed" ? [event.message] : [])),
  };
}

describe("healthy runs in mode gate", () => {
  it("are at least sixty", () => {
    expect(healthyRuns.length).toBeGreaterThanOrEqual(60);
  });

  it.each(healthyRuns)("$name", ({ events }) => {
    const { refusals, stops, nudges, failures } = observe(events);
    expect({ refusals, stops, failures }).toEqual({ refusals: 0, stops: 0, failures: [] });
    expect(nudges.length, nudges.join("\n")).toBeLessThanOrEqual(1);
  });

  it("hardly any of them raises an alert", () => {
    const alerts = healthyRuns.flatMap(({ name, events }) => {
      const raised = firstAlert(events);
      return raised === undefined ? [] : [`${name}: ${raised.kind}`];
    });
    expect(alerts).toMatchInlineSnapshot(`
      [
        "one long unchanged wait: unchanged-polling",
        "reading a file again after the context was compacted: repeated-call",
      ]
    `);
  });

  it("most of them are told nothing at all", () => {
    const spoken = healthyRuns.filter(({ events }) => observe(events).nudges.length > 0).map(({ name }) => name);
    expect(spoken).toMatchInlineSnapshot(`
      [
        "one long unchanged wait",
        "reading a file again after the context was compacted",
      ]
    `);
  });
});
