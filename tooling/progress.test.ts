import { describe, expect, it } from "vitest";
import { createProgress, type ProgressTerminal, renderProgress } from "./progress.ts";

const ERASE = "\r\u001b[2K";

/** A terminal that keeps what is written to both outputs, in one text. */
function fakeTerminal({ isLive, columns }: Pick<ProgressTerminal, "isLive"> & { readonly columns?: number }) {
  const written: string[] = [];
  const terminal: ProgressTerminal = {
    out: (text) => void written.push(`out ${text}`),
    err: (text) => void written.push(`err ${text}`),
    isLive,
    columns: () => columns,
  };
  return { terminal, taken: () => written.splice(0) };
}

describe("renderProgress", () => {
  it.each([
    { state: {}, line: "[3/14 rows, 11 left, 0 s]" },
    { state: { task: "core: growth" }, line: "[3/14 rows, 11 left, 0 s] core: growth" },
    {
      state: { task: "record events", part: { done: 200_000, of: 1_000_000 } },
      line: "[3/14 rows, 11 left, 0 s] record events (200,000 of 1,000,000)",
    },
    { state: { seconds: 59.9 }, line: "[3/14 rows, 11 left, 59 s]" },
    { state: { seconds: 60 }, line: "[3/14 rows, 11 left, 1 min 0 s]" },
    { state: { seconds: 545 }, line: "[3/14 rows, 11 left, 9 min 5 s]" },
    { state: { done: 14 }, line: "[14/14 rows, 0 left, 0 s]" },
  ])("the line of $state is $line", ({ state, line }) => {
    expect(renderProgress({ unit: "rows", done: 3, total: 14, seconds: 0, ...state })).toBe(line);
  });
});

describe("createProgress on a terminal", () => {
  it("draws one line again, and prints results above it", () => {
    const { terminal, taken } = fakeTerminal({ isLive: true, columns: 80 });
    const progress = createProgress({ total: 2, unit: "rows", terminal, clock: () => 0 });
    progress.now("core");
    progress.print("core  1.2 ×");
    progress.count();
    progress.end();
    expect(taken()).toEqual([
      `err ${ERASE}[0/2 rows, 2 left, 0 s] core`,
      `err ${ERASE}`,
      "out core  1.2 ×\n",
      `err ${ERASE}[0/2 rows, 2 left, 0 s] core`,
      `err ${ERASE}[1/2 rows, 1 left, 0 s] core`,
      `err ${ERASE}`,
    ]);
  });

  it("draws at most ten times in a second while a task runs", async () => {
    const { terminal, taken } = fakeTerminal({ isLive: true });
    let time = 0;
    const progress = createProgress({ total: 1, unit: "rows", terminal, clock: () => time });
    progress.now("core");
    for (let block = 1; block <= 10; block += 1) {
      time += 50;
      await progress.pause(block, 10);
    }
    expect(taken().map((text) => text.replace(`err ${ERASE}`, ""))).toEqual([
      "[0/1 rows, 1 left, 0 s] core",
      "[0/1 rows, 1 left, 0 s] core (2 of 10)",
      "[0/1 rows, 1 left, 0 s] core (4 of 10)",
      "[0/1 rows, 1 left, 0 s] core (6 of 10)",
      "[0/1 rows, 1 left, 0 s] core (8 of 10)",
      "[0/1 rows, 1 left, 0 s] core (10 of 10)",
    ]);
  });

  it.each([
    { columns: 20, line: "[0/1 rows, 1 left,…" },
    { columns: 29, line: "[0/1 rows, 1 left, 0 s] core" },
    { columns: 0, line: "[0/1 rows, 1 left, 0 s] core" },
  ])("cuts a line that would wrap at $columns columns", ({ columns, line }) => {
    const { terminal, taken } = fakeTerminal({ isLive: true, columns });
    createProgress({ total: 1, unit: "rows", terminal, clock: () => 0 }).now("core");
    expect(taken()).toEqual([`err ${ERASE}${line}`]);
  });
});

describe("createProgress without a terminal", () => {
  it("prints a line per task, and one every half minute while a task runs", async () => {
    const { terminal, taken } = fakeTerminal({ isLive: false });
    let time = 0;
    const progress = createProgress({ total: 2, unit: "sets", terminal, clock: () => time });
    progress.now("tau");
    for (let run = 1; run <= 4; run += 1) {
      time += 10_000;
      await progress.pause(run, 4);
    }
    progress.print("tau 40 runs");
    progress.count();
    progress.now("super");
    progress.end();
    expect(taken()).toEqual([
      "err [0/2 sets, 2 left, 0 s] tau\n",
      "err [0/2 sets, 2 left, 30 s] tau (3 of 4)\n",
      "out tau 40 runs\n",
      "err [1/2 sets, 1 left, 40 s] super\n",
    ]);
    expect(progress.reached()).toBe("1 of 2 sets");
  });

  it("a pause throws after the signal is aborted, also by code that only runs between two pauses", async () => {
    const { terminal } = fakeTerminal({ isLive: false });
    const controller = new AbortController();
    const progress = createProgress({ total: 1, unit: "rows", terminal, signal: controller.signal });
    setImmediate(() => controller.abort(new Error("interrupted")));
    const measureWithoutWaiting = async (): Promise<void> => {
      for (let block = 0; block < 1000; block += 1) await progress.pause(block, 1000);
    };
    await expect(measureWithoutWaiting()).rejects.toThrow("interrupted");
  });
});
