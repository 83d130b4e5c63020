import { timeIn } from "./loose-json.ts";
import { describe, expect, it } from "vitest";

const TIME = Date.UTC(2026, 2, 1, 10, 0, 5, 250);

describe("timeIn", () => {
  it.each([
    ["2026-03-01T10:00:05.250Z", TIME],
    ["2026-03-01T11:00:05.250+01:00", TIME],
    // Without a zone: the same on every machine, whatever its own zone is.
    ["2026-03-01T10:00:05.250", TIME],
    ["2026-03-01 10:00:05.250000", TIME],
    ["2026-03-01T10:00", Date.UTC(2026, 2, 1, 10)],
    [String(TIME), TIME],
    [TIME, TIME],
    [TIME / 1000, TIME],
    [TIME * 1e6, TIME],
    ["Z", undefined],
    ["yesterday", undefined],
    ["", undefined],
    [-1, undefined],
    [null, undefined],
  ])("%j is %s", (value, time) => {
    expect(timeIn(value)).toBe(time);
  });
});
