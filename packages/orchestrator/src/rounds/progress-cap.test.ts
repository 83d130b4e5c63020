import { describe, expect, it } from "vitest";
import { countAttempt, mayTryAgain, noAttempts, type ProgressCaps } from "./progress-cap.ts";

const RETRIES = { withoutProgress: 3, absolute: 30 };

/** How many tries are made when each leaves this much done. */
function tries(doneAfterEach: readonly number[], caps?: ProgressCaps): number {
  let attempts = noAttempts();
  for (const [index, done] of doneAfterEach.entries()) {
    if (!mayTryAgain(attempts, { ...RETRIES, ...caps })) return index;
    attempts = countAttempt(attempts, done);
  }
  return doneAfterEach.length;
}

describe("progress caps", () => {
  it.each<{ what: string; done: readonly number[]; caps?: ProgressCaps; tried: number }>([
    { what: "three without progress are enough", done: [0, 0, 0, 0], tried: 3 },
    { what: "progress in the last of them starts anew", done: [0, 0, 1, 1, 1, 1, 1], tried: 6 },
    { what: "one item each time goes on", done: Array.from({ length: 20 }, (_, n) => n + 1), tried: 20 },
    { what: "but thirty are enough whatever they bring", done: Array.from({ length: 50 }, (_, n) => n + 1), tried: 30 },
    { what: "going back is no progress, nor is getting back to where it was", done: [3, 1, 2, 3, 3], tried: 4 },
    { what: "caps of one's own", done: [0, 0, 0], caps: { withoutProgress: 1 }, tried: 1 },
    { what: "an absolute cap of one's own", done: [1, 2, 3, 4], caps: { absolute: 2 }, tried: 2 },
    { what: "no tries at all", done: [1], caps: { absolute: 0 }, tried: 0 },
  ])("$what", ({ done, caps, tried }) => {
    expect(tries(done, caps)).toBe(tried);
  });

  it("attempts count from the progress before the first one", () => {
    expect(countAttempt(noAttempts(2), 2)).toEqual({ attempts: 1, stalled: 1, best: 2 });
    expect(countAttempt(noAttempts(2), 3)).toEqual({ attempts: 1, stalled: 0, best: 3 });
  });
});
