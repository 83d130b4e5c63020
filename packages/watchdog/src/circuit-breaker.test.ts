import { describe, expect, it } from "vitest";
import { startRun } from "../test/case-driver.ts";
import { circuitBreaker } from "./circuit-breaker.ts";

/** How many of ten equal calls are run, of which each has these arguments and this result. */
function executed(
  inputs: readonly object[],
  { output = "boom", outcome = "ok" as const, max }: { output?: unknown; outcome?: "ok" | "error"; max?: number } = {},
): number {
  const { run } = startRun({ mode: "gate", policies: [circuitBreaker(max === undefined ? {} : { max })] });
  let count = 0;
  for (let n = 0; n < 10; n += 1) {
    run.beforeTurn();
    const { allow, call } = run.beforeTool({ tool: "http", input: inputs[n % inputs.length] });
    if (!allow) continue;
    count += 1;
    run.record({ type: "tool.finished", call, outcome, output });
  }
  return count;
}

describe("circuitBreaker", () => {
  it.each([
    { max: undefined, count: 3 },
    { max: 1, count: 1 },
    { max: 5, count: 5 },
  ])("max: $max lets $count equal failures through", ({ max, count }) => {
    expect(executed([{ url: "x" }], { outcome: "error", ...(max !== undefined && { max }) })).toBe(count);
  });

  it("takes equal arguments in another order for the same call", () => {
    const inputs = [
      { url: "x", method: "get" },
      { method: "get", url: "x" },
    ];
    expect(executed(inputs, { outcome: "error" })).toBe(3);
  });

  it.each([
    [{ success: false }, 3],
    [{ success: false, message: "no" }, 3],
    [{ ok: false }, 3],
    [{ exit_code: 1 }, 3],
    ["exit_code: 1", 3],
    ["Process exited with code 1", 3],
    ["ERROR: no route", 3],
    [{ success: true }, 10],
    ["exit_code: 0", 10],
    ["fine", 10],
  ])("runs a call that the host reports as ok with %j %i times", (output, count) => {
    expect(executed([{ url: "x" }], { output })).toBe(count);
  });

  it.each([0, Number.NaN, "3" as never])("refuses max: %s", (max) => {
    expect(() => circuitBreaker({ max })).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }) as Error);
  });
});
