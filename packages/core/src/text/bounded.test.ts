import { describe, expect, it } from "vitest";
import { addRecent, isRecent, pushBounded, type Recent, setBounded } from "./bounded.ts";

describe("pushBounded", () => {
  it("pushBounded keeps the newest", () => {
    const items: number[] = [];
    for (let n = 1; n <= 5; n += 1) pushBounded(items, n, 3);
    expect(items).toEqual([3, 4, 5]);
  });
});

describe("setBounded", () => {
  it("setBounded drops the oldest key, and a key set again is the newest", () => {
    const map = new Map<string, number>();
    for (const [key, value] of [
      ["a", 1],
      ["b", 2],
      ["c", 3],
      ["a", 4],
      ["d", 5],
    ] as const)
      setBounded(map, [key, value], 3);
    expect([...map]).toEqual([
      ["c", 3],
      ["a", 4],
      ["d", 5],
    ]);
  });
});

describe("addRecent", () => {
  it("addRecent knows at least the newest `limit` keys, and forgets older ones", () => {
    const recent: Recent = { fresh: new Set(), older: new Set() };
    for (let n = 1; n <= 7; n += 1) addRecent(recent, String(n), 3);
    expect(["1", "2", "3", "4", "5", "6", "7"].filter((key) => isRecent(recent, key))).toEqual(["4", "5", "6", "7"]);
    for (let n = 8; n <= 1000; n += 1) {
      addRecent(recent, String(n), 3);
      expect([n, n - 1, n - 2].every((key) => isRecent(recent, String(key)))).toBe(true);
      expect(recent.fresh.size + recent.older.size).toBeLessThan(6);
    }
  });
});
