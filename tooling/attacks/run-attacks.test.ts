import { describe, expect, it } from "vitest";
import { createProgress } from "../progress.ts";
import type { Attack } from "./attack.ts";
import { type AttackRow, renderRows, runAttacks } from "./run-attacks.ts";

const growth: Attack = {
  name: "growth",
  areas: 2,
  run: async ({ seconds, now, pause, total }) => {
    now("readShell");
    await pause(0, seconds);
    total({ area: "readShell", tried: 4102, failures: [], note: 'slowest 3 ms: "a|"' });
    now("quote");
    total({ area: "quote", tried: 3, failures: ["x: 90 ms", "y: 80 ms"] });
  },
};
const broken: Attack = {
  name: "broken",
  areas: 2,
  run: ({ total }) => {
    total({ area: "first", tried: 1, failures: [] });
    return Promise.reject(new Error("no disk"));
  },
};

async function run(attacks: readonly Attack[], { signal = new AbortController().signal } = {}) {
  let text = "";
  const write = (more: string): void => void (text += more);
  const progress = createProgress({
    total: attacks.reduce((sum, { areas }) => sum + areas, 0),
    unit: "areas",
    signal,
    clock: () => 0,
    terminal: { out: write, err: write, isLive: false, columns: () => undefined },
  });
  const rows: AttackRow[] = [];
  const ended = runAttacks(attacks, { seconds: 9, progress, signal, rows });
  const error = await ended.then(() => undefined).catch((thrown: unknown) => thrown);
  return { text, rows, error };
}

describe("runAttacks", () => {
  it("prints every area when it was tried, with what is left before each task", async () => {
    const { text } = await run([growth]);
    expect(text).toMatchInlineSnapshot(`
      "[0/2 areas, 2 left, 0 s] growth
      [0/2 areas, 2 left, 0 s] growth: readShell
      growth: readShell: 4,102 tried, 0 failed, slowest 3 ms: "a|"
      [1/2 areas, 1 left, 0 s] growth: quote
      growth: quote: 3 tried, 2 failed
        FAILED x: 90 ms
        FAILED y: 80 ms
      "
    `);
  });

  it("an attack that throws counts as one failure, and the others still run", async () => {
    const { text, rows } = await run([broken, growth]);
    expect(text).toMatchInlineSnapshot(`
      "[0/4 areas, 4 left, 0 s] broken
      broken: first: 1 tried, 0 failed
      broken: FAILED Error: no disk
      [2/4 areas, 2 left, 0 s] growth
      [2/4 areas, 2 left, 0 s] growth: readShell
      growth: readShell: 4,102 tried, 0 failed, slowest 3 ms: "a|"
      [3/4 areas, 1 left, 0 s] growth: quote
      growth: quote: 3 tried, 2 failed
        FAILED x: 90 ms
        FAILED y: 80 ms
      "
    `);
    expect(renderRows(rows)).toMatchInlineSnapshot(`
      "| Attack | Area | Tried | Failed | Note |
      | --- | --- | --- | --- | --- |
      | broken | first | 1 | 0 |  |
      | broken | the attack itself | 1 | 1 |  |
      | growth | readShell | 4,102 | 0 | slowest 3 ms: "a\\|" |
      | growth | quote | 3 | 2 |  |

      4,107 tried, 3 failed"
    `);
  });

  it("an attack that does not report all of its areas is a failure", async () => {
    const { rows } = await run([{ ...growth, areas: 3 }]);
    expect(rows.at(-1)?.failures).toEqual(["Error: It reported 2 of 3 areas."]);
  });

  it("ends after an interruption and keeps the areas so far", async () => {
    const controller = new AbortController();
    const interrupted: Attack = {
      name: "interrupted",
      areas: 2,
      run: async ({ total, pause }) => {
        total({ area: "first", tried: 1, failures: [] });
        controller.abort(new Error("interrupted"));
        await pause(1, 2);
      },
    };
    const { rows, error } = await run([interrupted, growth], { signal: controller.signal });
    expect(error).toEqual(new Error("interrupted"));
    expect(rows.map(({ area }) => area)).toEqual(["first"]);
  });
});
