import { describe, expect, it } from "vitest";
import { duration, plural, tokens } from "./number-text.ts";

describe("duration", () => {
  it.each([
    [0, "0 ms"],
    [999.4, "999 ms"],
    [999.6, "1 s"],
    [1250, "1.3 s"],
    [59_949, "59.9 s"],
    [59_950, "1 min 0 s"],
    [119_499, "1 min 59 s"],
    [119_600, "2 min 0 s"],
    [3_599_600, "1 h 0 min"],
    [7_199_999, "2 h 0 min"],
    [100 * 3_600_000, "100 h 0 min"],
  ])("%d ms is %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe("tokens", () => {
  it.each([
    [999.4, "999"],
    [1000, "1 k"],
    [12_345, "12.3 k"],
    [999_499, "999 k"],
    [999_500, "1 M"],
    [1_900_300_000, "1.9 G"],
  ])("%d is %s", (count, text) => {
    expect(tokens(count)).toBe(text);
  });
});

describe("plural", () => {
  it.each([
    [0, "0 calls"],
    [1, "1 call"],
    [2, "2 calls"],
  ])("%d is %s", (count, text) => {
    expect(plural(count, "call")).toBe(text);
  });
});
