import { describe, expect, it } from "vitest";
import { pushBounded, setBounded } from "./bounded.ts";

describe("pushBounded", () => {
  it("keeps the newest", () => {
    const items: number[] = [];
    for (let n = 1; n <= 5; n += 1) pushBounded(items, n, 3);
    expect(items).toEqual([3, 4, 5]);
  });
});

describe("setBounded", () => {
  it("drops the oldest key, and a key that is set again is the newest", () => {
    const map = new Map<string, number>();
    for (const [key, value] of [["a", 1], ["b", 2], ["c", 3], ["a", 4], ["d", 5]] as const) setBounded(map, [key, value], 3);
    expect([...map]).toEqual([["c", 3], ["a", 4], ["d", 5]]);
  });
});
