import { describe, expect, it } from "vitest";
import { axisTicks } from "./axis-ticks.ts";

describe("axisTicks", () => {
  it.each([
    [28_200, ["0", "5 s", "10 s", "15 s", "20 s", "25 s"]],
    [3_600_000, ["0", "10 min", "20 min", "30 min", "40 min", "50 min", "1 h"]],
    [90, ["0", "20 ms", "40 ms", "60 ms", "80 ms"]],
  ])("an axis of %i ms has ticks that people read without arithmetic", (to, labels) => {
    expect(axisTicks("time", { from: 0, to }).map(({ label }) => label)).toEqual(labels);
  });

  it("a part of the axis has ticks of its own", () => {
    expect(axisTicks("time", { from: 10_000, to: 12_000 }).map(({ label }) => label)).toEqual([
      "10 s",
      "10.5 s",
      "11 s",
      "11.5 s",
      "12 s",
    ]);
  });

  it("an axis of events counts from 1", () => {
    expect(axisTicks("events", { from: 0, to: 100 }).map(({ label }) => label)).toEqual([
      "1",
      "21",
      "41",
      "61",
      "81",
      "101",
    ]);
  });

  it("any length has at most nine ticks", () => {
    for (let to = 1; to < 1e12; to *= 3.7)
      for (const axis of ["time", "events"] as const) {
        const { length } = axisTicks(axis, { from: 0, to });
        expect(length).toBeGreaterThan(0);
        expect(length).toBeLessThanOrEqual(9);
      }
  });
});
