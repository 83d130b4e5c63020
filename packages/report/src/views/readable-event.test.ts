import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { goodRun } from "../../test/sample-runs.ts";
import { eventRows } from "./event-rows.ts";
import { overviewToMarkdown } from "./overview-to-markdown.ts";
import { overviewOf } from "./overview.ts";
import { readableEvent } from "./readable-event.ts";

const strange = (change: (event: Record<string, unknown>) => object): readonly RunEvent[] =>
  goodRun().map((event) => change({ ...event }) as unknown as RunEvent);
const added = (...events: readonly object[]): readonly RunEvent[] => {
  const log = goodRun();
  const more = events.map(
    (event, index) => ({ v: 1, seq: log.length + index, at: 5, ...event }) as unknown as RunEvent,
  );
  return [...log.slice(0, -1), ...more, ...log.slice(-1)];
};

describe("a log of another version", () => {
  it("overviewOf shows an unknown reason unchanged and says that it is unknown", () => {
    const log = strange((event) =>
      event["type"] === "run.finished" ? { ...event, reason: "from_the_future" } : event,
    );
    const overview = overviewOf(log);
    expect(overview.line.reason).toBe("from_the_future");
    expect(overview.verdict[0]?.text).toContain("no known kind");
    expect(overviewToMarkdown(overview)).toContain("from_the_future");
  });

  it.each([
    ["an unknown type", added({ type: "tool.exploded", what: { a: [1] } })],
    [
      "an alert of an unknown kind and severity",
      added({ type: "alert.raised", by: "x", kind: "new", signature: "s", severity: "huge", count: 2 }),
    ],
    [
      "an alert that says nothing",
      added({ type: "alert.raised" }, { type: "alert.raised" }, { type: "alert.cleared" }),
    ],
    [
      "an unknown verdict",
      added({ type: "review.finished", review: "r", verdict: "maybe" }, { type: "verdict.given", verdict: 7 }),
    ],
    ["a review without a text", added({ type: "review.requested", applied: true })],
    [
      "a reason with the name of a method",
      strange((event) => (event["type"] === "run.finished" ? { ...event, reason: "constructor" } : event)),
    ],
    ["no reason", strange((event) => (event["type"] === "run.finished" ? { ...event, reason: undefined } : event))],
    ["tools without a meaning", strange(({ meaning: _meaning, ...event }) => event)],
    ["events without a type", strange(({ type, ...event }) => (type === "run.started" ? { type, ...event } : event))],
    ["events that are none", [...goodRun().slice(0, 2), null, 5, "x", []] as unknown as readonly RunEvent[]],
    ["rejected facts without issues", added({ type: "event.rejected" })],
    ["times that are none", strange((event) => ({ ...event, at: null }))],
    [
      "everything but type and order gone",
      strange(({ type, seq, at, run, phase, mode }) =>
        type === "run.started" ? { type, seq, at, run, phase, mode, v: 1 } : { type, seq, at },
      ),
    ],
  ])("a log with %s gives rows or a PhasekitError", (_what, log) => {
    expect(eventRows(log)).toHaveLength(log.length);
    try {
      expect(overviewOf(log).line.run).toBe("run-good");
    } catch (error) {
      expect(isPhasekitError(error, "UNREADABLE_RUN") ? "" : String((error as Error).stack)).toBe("");
    }
  });

  it("readableEvent returns valid events unchanged", () => {
    for (const event of goodRun()) expect(readableEvent(event)).toBe(event);
  });
});
