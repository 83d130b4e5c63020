import { describe, expect, it } from "vitest";
import { bar } from "./bar.ts";

describe("bar", () => {
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
