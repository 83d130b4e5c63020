import { describe, expect, it } from "vitest";
import { sampleLine } from "./__fixtures__/sample-line.ts";
import { dayKey, trendOf } from "./trend.ts";

const on = (day: string): number => new Date(`${day}T12:00`).getTime();

describe("trendOf", () => {
  it("counts runs by day, also for days without a run", () => {
    const { unit, buckets, undated } = trendOf([
      sampleLine({ startedAt: on("2026-03-01"), tone: "good", grade: "proven", tokens: 10, cost: 2 }),
      sampleLine({ startedAt: on("2026-03-01"), tone: "bad", grade: "claimed", tokens: 5 }),
      sampleLine({ startedAt: on("2026-03-04"), tone: "plain" }),
      sampleLine({ startedAt: 0 }),
    ]);
    expect(unit).toBe("day");
    expect(undated).toBe(1);
    expect(buckets.map(({ from, to, runs }) => [from, to, runs])).toEqual([
      ["2026-03-01", "2026-03-01", 2],
      ["2026-03-02", "2026-03-02", 0],
      ["2026-03-03", "2026-03-03", 0],
      ["2026-03-04", "2026-03-04", 1],
    ]);
    expect(buckets[0]).toMatchObject({
      ...{ backed: 1, judged: 2, tokens: 15, cost: 2 },
      tones: { good: 1, plain: 0, fair: 0, bad: 1 },
    });
  });

  it.each([
    { first: "2026-03-04", last: "2026-06-30", unit: "week", from: "2026-03-02", to: "2026-03-08" },
    { first: "2024-02-10", last: "2026-06-30", unit: "month", from: "2024-02-01", to: "2024-02-29" },
  ])("runs from $first to $last are counted by $unit", ({ first, last, unit, from, to }) => {
    const trend = trendOf([first, last].map((day) => sampleLine({ startedAt: on(day) })));
    expect(trend.unit).toBe(unit);
    expect(trend.buckets[0]).toMatchObject({ from, to, runs: 1 });
    expect(trend.buckets.at(-1)?.runs).toBe(1);
    expect(trend.buckets.reduce((sum, { runs }) => sum + runs, 0)).toBe(2);
    const days = trend.buckets.map((bucket) => bucket.from);
    expect(days).toEqual(days.toSorted());
  });

  it("has no buckets without a time", () => {
    expect(trendOf([sampleLine({ startedAt: 0 })])).toEqual({ unit: "day", buckets: [], undated: 1 });
  });
});

describe("dayKey", () => {
  it("is the day on the reader's calendar", () => {
    expect(dayKey(new Date(2026, 0, 5, 0, 0))).toBe("2026-01-05");
    expect(dayKey(new Date(2026, 0, 5, 23, 59))).toBe("2026-01-05");
  });
});
