import type { RunLine } from "../../run-line.ts";

/** A run as a row of the table of runs, for tests. */
export function sampleLine(members: Partial<RunLine> = {}): RunLine {
  return {
    run: "run-1",
    title: "Add the tax",
    state: "success",
    word: "done, proven",
    tone: "good",
    startedAt: Date.UTC(2026, 0, 5, 9),
    elapsed: 1000,
    events: 10,
    phases: [{ phase: "acting", share: 1, failed: false }],
    calls: 3,
    wastedCalls: 0,
    unpricedCalls: 0,
    ...members,
  };
}
