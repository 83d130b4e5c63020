import type { RunEvent } from "@phasekit/core";
import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { eventLine } from "./event-line.ts";

const dropped = {
  type: "nudge.dropped",
  seq: 4,
  at: 1000,
  cause: 3,
  by: "stall-reminder",
  episode: "working#1",
  why: "cooldown",
} as RunEvent;

describe("eventLine", () => {
  it("eventLine shows a dropped nudge and its cause with --all only", () => {
    const options = { colors: picocolors.createColors(false), width: 80 };
    expect(eventLine(dropped, options)).toBeUndefined();
    expect(eventLine(dropped, { ...options, all: true })).toBe("DROPPED  nudge of stall-reminder (cooldown)");
  });
});
