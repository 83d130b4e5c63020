import { createProgress } from "@phasekit/tooling/progress";
import { describe, expect, it } from "vitest";
import { createPlayedSets } from "./play-sets.ts";
import type { RunRow } from "./run-row.ts";

/** A row as a worker sends it; only the fields that are printed matter. */
function row(
  set: string,
  index: number,
  {
    outcome = "success",
    strong,
    threw,
  }: Partial<Pick<RunRow, "outcome" | "threw">> & { readonly strong?: number } = {},
): RunRow {
  return { set, index, outcome, ...(threw === undefined ? { at: { strong } } : { threw }) } as unknown as RunRow;
}

function start(sets: readonly string[]) {
  let text = "";
  const write = (more: string): void => void (text += more);
  const progress = createProgress({
    total: sets.length,
    unit: "sets",
    clock: () => 0,
    terminal: { out: write, err: write, isLive: false, columns: () => undefined },
  });
  return { played: createPlayedSets(sets, progress), text: () => text };
}

describe("createPlayedSets", () => {
  it("prints a set when all workers have played their runs of it", () => {
    const { played, text } = start(["tau", "super"]);
    played.add({ set: "tau", count: 90, chosen: 3, rows: [row("tau", 2), row("tau", 0, { outcome: "failure" })] });
    played.add({ set: "super", count: 1, chosen: 1, rows: [row("super", 0, { outcome: "unknown" })] });
    played.add({ set: "tau", count: 90, chosen: 3, rows: [row("tau", 1, { outcome: "failure", strong: 4 })] });
    played.add({ set: "tau", count: 90, chosen: 3, rows: [] });
    expect(text()).toMatchInlineSnapshot(`
      "[0/2 sets, 2 left, 0 s] tau
      super: 1 runs
      tau: 3 of 90 runs, strong alert in 0 of 1 successes and 1 of 2 failures
      "
    `);
    expect(played.complete()).toEqual(["tau", "super"]);
    expect(played.rows().map(({ set, index }) => `${set} ${String(index)}`)).toEqual([
      "super 0",
      "tau 0",
      "tau 1",
      "tau 2",
    ]);
  });

  it("leaves out a set that was interrupted", () => {
    const { played } = start(["tau", "super"]);
    played.add({ set: "tau", count: 2, chosen: 2, rows: [row("tau", 0)] });
    played.add({ set: "super", count: 1, chosen: 1, rows: [row("super", 0)] });
    expect(played.complete()).toEqual(["super"]);
    expect(played.rows().map(({ set }) => set)).toEqual(["super"]);
  });

  it("a set without chosen runs is complete, and a run that threw is not counted", () => {
    const { played, text } = start(["tau", "super"]);
    played.add({ set: "tau", count: 2, chosen: 0, rows: [] });
    played.add({ set: "super", count: 2, chosen: 2, rows: [row("super", 0, { threw: "broken" }), row("super", 1)] });
    expect(text()).toMatchInlineSnapshot(`
      "[0/2 sets, 2 left, 0 s] tau
      tau: 0 of 2 runs
      [1/2 sets, 1 left, 0 s] super
      super: 2 runs, strong alert in 0 of 1 successes
      "
    `);
  });
});
