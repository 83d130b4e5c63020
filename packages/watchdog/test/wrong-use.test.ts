import { createRun, definePhaseGraph, nameTableInterpreter } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { describe, expect, it } from "vitest";
import { budgetReview, limits, reminders, stall, watchdog } from "../src/index.ts";
import { startRun } from "./case-driver.ts";

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
  it.each([
    { interpreters: ["reading"], heard: false },
    { interpreters: ["name-table", "reading"], heard: false },
    { interpreters: ["mine"], heard: false },
    { interpreters: ["name-table"], heard: true },
    { interpreters: ["name-table", "described-tools", "delivery"], heard: true },
    { interpreters: [], heard: true },
  ])("needs something else than $interpreters: $heard", ({ interpreters, heard }) => {
    const needs = watchdog().flatMap((policy) => policy.needs?.({ mode: "nudge", limits: {}, interpreters }) ?? []);
    expect(needs).toEqual(heard ? [expect.stringContaining("it needs `interpret: reading()`")] : []);
  });

  it("names the interpreters as runs do", () => {
    const { run, log } = startRun({ interpret: [nameTableInterpreter(), reading()] });
    run.beforeTurn();
    expect(log[0]).toMatchObject({ interpreters: [{ name: "name-table" }, { name: "reading" }] });
  });

  it.each([-1, Number.NaN, "5" as never])("stall refuses alertAt: %s", (alertAt) => {
    expect(() => stall({ alertAt })).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }) as Error);
  });
});
