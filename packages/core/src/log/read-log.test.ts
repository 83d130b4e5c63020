import { describe, expect, it } from "vitest";
import { loggedRun, stored } from "../__fixtures__/logged-run.ts";
import { stop } from "../policies/decision.ts";
import { isPhasekitError } from "../errors.ts";
import { definePolicy } from "../policies/policy.ts";
import { lastStepIndex, readLog } from "./read-log.ts";
import { upgradeEvent } from "./upgrade-event.ts";

type Event = Record<string, unknown>;

function log(): Event[] {
  const { run, log: events } = loggedRun({
    policies: [definePolicy({ name: "p", decide: { "progress.made": () => stop() } })],
  });
  run.record({ type: "turn.started" });
  run.record({ type: "progress.made", what: "x" });
  return stored(events) as Event[];
}

/** What reading a log fails with, as one text. */
function failure(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (isPhasekitError(error)) return `${error.code}\n${error.message}\n${error.hint ?? ""}`;
    throw error;
  }
  return "it was read";
}

describe("readLog", () => {
  it("readLog returns events that are whole and in order", () => {
    const { header, events } = readLog(log());
    expect(header).toMatchObject({ type: "run.started", run: "run" });
    expect(events.map(({ type }) => type)).toEqual(["run.started", "turn.started", "progress.made", "stop.requested"]);
    expect(lastStepIndex(events)).toBe(2);
  });

  it("readLog names what is damaged, where, and what to do", () => {
    const changed = (index: number, members: Event): unknown[] =>
      log().map((event, at) => (at === index ? { ...event, ...members } : event));
    expect({
      empty: failure(() => readLog([])),
      headless: failure(() => readLog(log().slice(1))),
      gap: failure(() => readLog(log().filter((_event, index) => index !== 1))),
      twice: failure(() => readLog([...log().slice(0, 2), ...log().slice(1)])),
      "starts late": failure(() => readLog(changed(0, { seq: 2 }))),
      backwards: failure(() => readLog(changed(2, { at: 5 }))),
      "other step": failure(() => readLog(changed(3, { cause: 2 }))),
      "no event": failure(() => readLog([...log(), null])),
      "no type": failure(() => readLog(changed(1, { type: 7 }))),
      "unknown type": failure(() => readLog(changed(1, { type: "turn.begun" }))),
      "type of every object": failure(() => readLog(changed(1, { type: "constructor" }))),
      "no number": failure(() => readLog(changed(1, { seq: "2" }))),
      "no time": failure(() => readLog(changed(1, { at: undefined }))),
      newer: failure(() => readLog(changed(1, { v: 2 }))),
      "no version": failure(() => readLog(changed(1, { v: 0 }))),
      "a text as version": failure(() => readLog(changed(1, { v: "1" }))),
    }).toMatchInlineSnapshot(`
      {
        "a text as version": "UNKNOWN_EVENT
      An event of type "turn.started" cannot be read: version 1 is not known.
      It was perhaps written by a newer version of Phasekit: update the packages.",
        "backwards": "DAMAGED_LOG
      The log is damaged at event 3: time runs backwards.
      Read the log up to the event before it, or restore it from its store.",
        "empty": "DAMAGED_LOG
      The log is damaged at event 1: it is empty.
      Read the log up to the event before it, or restore it from its store.",
        "gap": "DAMAGED_LOG
      The log is damaged at event 2: expected sequence number 2, found 3.
      Read the log up to the event before it, or restore it from its store.",
        "headless": "DAMAGED_LOG
      The log is damaged at event 2: it begins with "turn.started".
      Read the log up to the event before it, or restore it from its store.",
        "newer": "UNKNOWN_EVENT
      An event of type "turn.started" cannot be read: version 2 is not known.
      It was perhaps written by a newer version of Phasekit: update the packages.",
        "no event": "UNKNOWN_EVENT
      An event of type undefined cannot be read: it is not an object.
      It was perhaps written by a newer version of Phasekit: update the packages.",
        "no number": "UNKNOWN_EVENT
      An event of type "turn.started" cannot be read: it has no sequence number or time.
      It was perhaps written by a newer version of Phasekit: update the packages.",
        "no time": "UNKNOWN_EVENT
      An event of type "turn.started" cannot be read: it has no sequence number or time.
      It was perhaps written by a newer version of Phasekit: update the packages.",
        "no type": "UNKNOWN_EVENT
      An event of type number cannot be read: the type is not known.
      It was perhaps written by a newer version of Phasekit: update the packages.",
        "no version": "UNKNOWN_EVENT
      An event of type "turn.started" cannot be read: version 0 is not known.
      It was perhaps written by a newer version of Phasekit: update the packages.",
        "other step": "DAMAGED_LOG
      The log is damaged at event 4: "stop.requested" names event 2 as its cause, but belongs to 3.
      Read the log up to the event before it, or restore it from its store.",
        "starts late": "DAMAGED_LOG
      The log is damaged at event 1: expected sequence number 1, found 2.
      Read the log up to the event before it, or restore it from its store.",
        "twice": "DAMAGED_LOG
      The log is damaged at event 3: expected sequence number 3, found 2.
      Read the log up to the event before it, or restore it from its store.",
        "type of every object": "UNKNOWN_EVENT
      An event of type "constructor" cannot be read: the type is not known.
      It was perhaps written by a newer version of Phasekit: update the packages.",
        "unknown type": "UNKNOWN_EVENT
      An event of type "turn.begun" cannot be read: the type is not known.
      It was perhaps written by a newer version of Phasekit: update the packages.",
      }
    `);
  });
});

describe("upgradeEvent", () => {
  it.each([
    [{ data: { trigger: "auto" } }, { trigger: "auto" }],
    [{ data: {} }, {}],
    [{ data: { trigger: 7 }, turn: 3, v: 1 }, { turn: 3 }],
  ])("upgradeEvent turns the compaction that hooks recorded until v4 into core's own event: %j", (stored, upgraded) => {
    const base = { seq: 4, at: 10 };
    expect(upgradeEvent({ type: "event.recorded", name: "context.compacted", ...base, ...stored })).toEqual({
      type: "context.compacted",
      ...base,
      ...upgraded,
    });
  });

  it("upgradeEvent returns an event of today's shape as it is", () => {
    const [event] = log();
    expect(upgradeEvent(event)).toBe(event);
    const versioned = { ...event, v: 1 };
    expect(upgradeEvent(versioned)).toBe(versioned);
  });
});
