import { describe, expect, it } from "vitest";
import { BoundedCounts } from "./bounded-counts.ts";

const keyOf = (n: number): number => Math.imul(n + 1, 0x9e3779b1);

/** Adds numbers in a new round. */
function addAll(counts: BoundedCounts, keys: readonly number[]): readonly number[] {
  counts.next();
  return keys.map((key) => counts.add(key));
}

describe("BoundedCounts", () => {
  it("counts the rounds before this one, up to 14", () => {
    const counts = new BoundedCounts(4096);
    expect([0, 1, 2].map(() => addAll(counts, [7, 7, 0]))).toEqual([
      [0, 0, 0],
      [1, 1, 1],
      [2, 2, 2],
    ]);
    for (let round = 0; round < 40; round += 1) addAll(counts, [7]);
    expect(addAll(counts, [7])).toEqual([14]);
  });

  it("counts nothing twice in a round that comes again", () => {
    const counts = new BoundedCounts(64);
    addAll(counts, [7]);
    counts.next({ again: true });
    expect([7, 8, 8].map((key) => counts.add(key))).toEqual([1, 0, 0]);
    expect(addAll(counts, [7, 8])).toEqual([1, 1]);
  });

  it("keeps what was added last and forgets what was not added for long", () => {
    const counts = new BoundedCounts(1024);
    for (let n = 0; n < 20_000; n += 1) addAll(counts, [keyOf(n), keyOf(-5)]);
    const known = (from: number): number =>
      addAll(
        counts,
        Array.from({ length: 200 }, (_, i) => keyOf(from + i)),
      ).filter((count) => count > 0).length;
    expect(known(19_800)).toBeGreaterThan(190);
    expect(known(10_000)).toBe(0);
    expect(addAll(counts, [keyOf(-5)])).toEqual([14]);
  });

  it("knows which numbers were added in this round", () => {
    const counts = new BoundedCounts(64);
    addAll(counts, [7]);
    addAll(counts, [8]);
    expect([7, 8, 9].map((key) => counts.has(key))).toEqual([false, true, false]);
  });
});
