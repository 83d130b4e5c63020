import { describe, expect, it } from "vitest";
import { loggedRun, stored } from "../__fixtures__/logged-run.ts";
import { emit } from "../policies/decision.ts";
import { defineEvent } from "./define-event.ts";
import type { RunEvent } from "./run-event.ts";
import { definePolicy } from "../policies/policy.ts";

const lesson = defineEvent<{ text: string; at?: Date }>("lesson.learned");
const other = defineEvent<{ text: string }>("lesson.lost");

describe("defineEvent", () => {
  it("a defined event is recorded by the host or emitted by a policy, and recognised after a round trip", () => {
    const teacher = definePolicy({
      name: "teacher",
      decide: { "progress.made": () => emit(lesson, { text: "from a policy" }) },
    });
    const { run, log } = loggedRun({ policies: [teacher] });
    run.record(lesson.record({ text: "from the host" }));
    run.record({ type: "progress.made", what: "x" });
    const events = stored(log) as readonly RunEvent[];
    expect(events.flatMap((event) => (lesson.is(event) ? [[event.type, event.data.text]] : []))).toEqual([
      ["event.recorded", "from the host"],
      ["event.emitted", "from a policy"],
    ]);
    expect(events.some((event) => other.is(event))).toBe(false);
    expect(log.at(-1)).toMatchObject({ type: "event.emitted", by: "teacher", name: "lesson.learned" });
  });

  it.each(["context.compacted", "tool.finished", "nudge.sent", "run.started"])(
    "defineEvent refuses %s, the name of an event of core",
    (name) => {
      expect(() => defineEvent(name)).toThrow(expect.objectContaining({ code: "RESERVED_EVENT" }) as Error);
    },
  );

  it("a run rejects a custom event that has the name of an event of core", () => {
    const { run, of } = loggedRun({});
    run.record({ type: "event.recorded", name: "context.compacted", data: {} });
    expect(of("event.recorded")).toEqual([]);
    expect(of("event.rejected")).toMatchObject([
      { issues: [{ path: "name", message: '"context.compacted" is an event of core: record it by its type' }] },
    ]);
  });

  it("a defined event stores JSON, whatever it is given", () => {
    expect(lesson.record({ text: "x", at: new Date(0) })).toEqual({
      type: "event.recorded",
      name: "lesson.learned",
      data: { text: "x", at: "1970-01-01T00:00:00.000Z" },
    });
    expect(lesson.derive({ text: "x", at: new Date(0) })).toEqual({
      type: "event.emitted",
      body: { name: "lesson.learned", data: { text: "x", at: "1970-01-01T00:00:00.000Z" } },
    });
  });
});

describe("events of core that policies emit", () => {
  it("an event of core that a policy emits becomes an event of its own type", () => {
    const policy = definePolicy({
      name: "p",
      decide: {
        "progress.made": () => [
          emit("exploration.saturation", { filesRead: 12, iterations: 3 }),
          emit("phase.timed-out", { phase: "a", entry: "a#1", limitMs: 5 }),
        ],
      },
    });
    const { run, of } = loggedRun({ policies: [policy] });
    run.record({ type: "progress.made", what: "x" });
    expect(of("exploration.saturation")).toMatchObject([{ by: "p", filesRead: 12, iterations: 3 }]);
    expect(of("phase.timed-out")).toMatchObject([{ by: "p", phase: "a", entry: "a#1", limitMs: 5 }]);
  });
});
