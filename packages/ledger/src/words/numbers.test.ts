import { describe, expect, it } from "vitest";
import { age, ago, count, duration, percent, plural, tokens } from "./numbers.ts";
import { bar } from "./bar.ts";

describe("numbers for people", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1000, "1.0 k"],
    [9949, "9.9 k"],
    [9999, "10 k"],
    [10_000, "10 k"],
    [999_499, "999 k"],
    [999_500, "1.0 M"],
    [2_140_000, "2.1 M"],
    [1_900_300_000, "1.9 G"],
  ] as const)("%d tokens: %s", (value, text) => {
    expect(tokens(value)).toBe(text);
  });

  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [999.6, "1 s"],
    [1000, "1 s"],
    [59_400, "59 s"],
    [59_950, "1 min"],
    [60_000, "1 min"],
    [3_540_000, "59 min"],
    [3_600_000, "1 h"],
    [3_900_000, "1 h 5 min"],
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

  it("counts with separators and nouns", () => {
    expect([count(1234567), plural(1, "call"), plural(0, "call"), plural(1000, "call")]).toEqual([
      "1,234,567",
      "1 call",
      "0 calls",
      "1,000 calls",
    ]);
  });

  it.each([
    [0, ""],
    [0.0001, "▏"],
    [0.5, "████"],
    [1, "████████"],
    [2, "████████"],
  ] as const)("a bar for %d", (share, text) => {
    expect(bar(share, 8)).toBe(text);
  });
});
