import type { RunEvent } from "@phasekit/core";
import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { eventLine, eventLines } from "./event-line.ts";

const dropped = {
  type: "nudge.dropped",
  seq: 4,
  at: 1000,
  cause: 3,
  by: "stall-reminder",
  episode: "working#1",
  why: "cooldown",
} as RunEvent;

describe("eventLines", () => {
  const nudge = {
    ...dropped,
    type: "nudge.sent",
    applied: true,
    text: "Run the tests before you say that it is done.",
  };

  it("eventLines wraps a long text at words, beside its label", () => {
    expect(eventLines(nudge as unknown as RunEvent, { colors: picocolors.createColors(false), width: 30 })).toEqual([
      "NUDGE    Run the tests before",
      "         you say that it is",
      "         done.",
    ]);
  });

  it("eventLines gives a very long text four lines", () => {
    const long = { ...nudge, text: "word ".repeat(200) } as unknown as RunEvent;
    const lines = eventLines(long, { colors: picocolors.createColors(false), width: 60 });
    expect(lines.length).toBeLessThanOrEqual(4);
    expect(lines.at(-1)).toMatch(/…$/);
  });

  it("eventLines has no line for an event that is not shown", () => {
    expect(eventLines(dropped, { colors: picocolors.createColors(false), width: 80 })).toEqual([]);
  });
});

describe("eventLine", () => {
  it("eventLine shows a dropped nudge and its cause with --all only", () => {
    const options = { colors: picocolors.createColors(false), width: 80 };
    expect(eventLine(dropped, options)).toBeUndefined();
    expect(eventLine(dropped, { ...options, all: true })).toBe("DROPPED  nudge of stall-reminder (cooldown)");
  });
});
