import { createRun, definePhaseGraph, nameTableInterpreter, type RunOptions } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { budgetReview, limits, reminders, stall, watchdog } from "../src/index.ts";

const graph = definePhaseGraph({
  initial: "planning",
  phases: { planning: { next: ["coding"] }, coding: { next: [], final: true } },
});

describe("a phase that the graph lacks", () => {
  it.each<{ readonly name: string; readonly policies: unknown }>([
    { name: "turns of budgetReview", policies: [budgetReview({ turns: { palnning: 10 } })] },
    { name: "phases of reminders", policies: [reminders({ phases: ["planing"] })] },
    { name: "waiting of limits", policies: limits({ waiting: ["wating"] }) },
    { name: "waiting of watchdog", policies: watchdog({ waiting: ["wating"] }) },
  ])("in $name is refused", ({ policies }) => {
    expect(() => createRun({ graph, policies: policies as never })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_PHASE" }) as Error,
    );
  });

  it("is not refused if it is spelled as in the graph", () => {
    const policies = [
      watchdog({ waiting: ["coding"] }),
      budgetReview({ turns: { planning: 10, coding: 12 } }),
      reminders({ phases: ["planning"] }),
    ] as const;
    expect(createRun({ graph, policies }).view.phase).toBe("planning");
  });
});

describe("watchdog() without reading()", () => {
  let warn: MockInstance<typeof console.warn>;
  beforeEach(() => {
    vi.stubEnv("PHASEKIT_DEBUG", "1");
    warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    warn.mockRestore();
  });

  it.each<{ readonly interpret: RunOptions["interpret"]; readonly heard: boolean }>([
    { interpret: reading(), heard: false },
    { interpret: [nameTableInterpreter(), reading()], heard: false },
    { interpret: { name: "mine", interpret: () => ({ gain: 0 }) }, heard: false },
    { interpret: undefined, heard: true },
  ])("is heard once, in development: $heard", ({ interpret, heard }) => {
    for (const _ of [1, 2])
      createRun({ policies: watchdog(), ...(interpret !== undefined && { interpret }) }).beforeTurn();
    expect(warn.mock.calls.flat()).toEqual(
      heard
        ? [expect.stringMatching(/^phasekit: policy "stall" can do nothing here: it needs `interpret: reading\(\)`/)]
        : [],
    );
  });

  it.each([-1, Number.NaN, "5" as never])("stall refuses alertAt: %s", (alertAt) => {
    expect(() => stall({ alertAt })).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }) as Error);
  });
});
