import { depth, type TestList } from "./test-depth.ts";

/** Returns a number from 0 up to a limit, excluding it. */
export type NextNumber = (below: number) => number;

/** The environment variable with the seeds to play instead of the usual ones, such as `20000-24999`. */
const SEEDS = "PHASEKIT_SEEDS";

/** A small generator with a seed, so that a failing case can be played again. */
export function numbersFrom(seed: number): NextNumber {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return (((state >>> 4) ^ (state >>> 16)) % below) >>> 0;
  };
}

/** The seeds of a deep test: from 0, as many as the list of tests has, or those of `PHASEKIT_SEEDS`. */
export function seedsOf(cases: Readonly<Record<TestList, number>>): readonly number[] {
  const [first = 0, last = depth(cases) - 1] = (process.env[SEEDS] ?? "").split("-").filter(Boolean).map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
