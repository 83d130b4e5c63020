import { describe, expect, it } from "vitest";
import { age, ago, atLeastDollars, count, dollars, duration, megabytes, percent, plural, tokens } from "./numbers.ts";

describe("numbers for people", () => {
  it.each([
    [0, "0"],
    [999.4, "999"],
    [1000, "1 k"],
    [12_345, "12.3 k"],
    [999_499, "999 k"],
    [999_500, "1 M"],
    [2_140_000, "2.14 M"],
    [1_900_300_000, "1.9 G"],
  ] as const)("%d tokens: %s", (value, text) => {
    expect(tokens(value)).toBe(text);
  });

  it.each([
    [0, "0 ms"],
    [999.4, "999 ms"],
    [999.6, "1 s"],
    [1250, "1.3 s"],
    [59_949, "59.9 s"],
    [59_950, "1 min"],
    [119_499, "1 min 59 s"],
    [3_599_600, "1 h"],
    [3_900_000, "1 h 5 min"],
    [100 * 3_600_000, "100 h"],
  ] as const)("%d ms: %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it.each([
    [0, "just now", "0 s"],
    [61_000, "1 min ago", "1 min"],
    [7_500_000, "2 h ago", "2 h"],
    [48 * 3_600_000, "2 days ago", "2 d"],
  ] as const)("%d ms ago", (ms, text, column) => {
    expect(ago(ms)).toBe(text);
    expect(age(ms)).toBe(column);
  });

  it.each([
    [0, "0 %"],
    [0.001, "<1 %"],
    [0.005, "1 %"],
    [1, "100 %"],
  ] as const)("a share of %d: %s", (share, text) => {
    expect(percent(share)).toBe(text);
  });

  it.each([
    [0, "$0.00", "≥ $0.00"],
    [0.004, "<$0.01", "≥ $0.00"],
    [0.209, "$0.21", "≥ $0.20"],
    [1240.4, "$1,240", "≥ $1,240"],
  ] as const)("%d dollars: %s, at least %s", (usd, text, bound) => {
    expect([dollars(usd), atLeastDollars(usd)]).toEqual([text, bound]);
  });

  it("counts with separators and nouns", () => {
    expect([count(1234567), plural(1, "call"), plural(0, "call"), plural(1000, "call")]).toEqual([
      "1,234,567",
      "1 call",
      "0 calls",
      "1,000 calls",
    ]);
  });

  it.each([
    [0, "0.0 MB"],
    [1_250_000, "1.3 MB"],
    [12_400_000, "12 MB"],
  ] as const)("%d bytes: %s", (value, text) => {
    expect(megabytes(value)).toBe(text);
  });
});
