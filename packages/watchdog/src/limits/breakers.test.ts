import type { NewEvent, RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { bash, times } from "../../test/case-builders.ts";
import { play, startRun } from "../../test/case-driver.ts";
import { escalation } from "../escalation.ts";
import { limits, watchdog } from "../watchdog.ts";
import { failureSignature } from "./breakers.ts";

const raised = (log: readonly RunEvent[]): readonly string[] =>
  log.flatMap((event) => (event.type === "alert.raised" && event.kind === "cumulative-loop" ? [event.signature] : []));

describe("the breaker for many corrections", () => {
  it.each([
    { options: {}, loops: 1, at: 60 },
    { options: {}, loops: 4, at: 200 },
    { options: { corrections: 50 }, loops: 1, at: 50 },
    { options: { corrections: 50, correctionsInAll: 100 }, loops: 4, at: 100 },
    { options: { correctionsInAll: 30 }, loops: 1, at: 30 },
  ])("$options: opens at correction $at over $loops sub-loops", ({ options, loops, at }) => {
    const { run } = startRun({ policies: limits(options) });
    const correct = (n: number): void => {
      run.record({ type: "validation.failed", path: `$.f${n}`, expected: "text", loop: `loop ${n % loops}` });
    };
    for (let n = 1; n < at; n += 1) correct(n);
    expect([...run.view.alerts.values()].map(({ kind }) => kind)).not.toContain("cumulative-loop");
    correct(at);
    expect([...run.view.alerts.values()].map(({ kind }) => kind)).toContain("cumulative-loop");
  });

  it.each([{ corrections: 0 }, { correctionsInAll: -1 }, { sharedCalls: 1 }, { silenceMs: "1 h" as never }])(
    "%j is refused",
    (options) => {
      expect(() => limits(options)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }) as Error);
    },
  );

  it.each<{ readonly name: string; readonly event: (n: number) => NewEvent }>([
    {
      name: "arguments that do not validate",
      event: (n) => ({ type: "validation.failed", path: `$.f${n}`, expected: "text", loop: "rewrite" }),
    },
    {
      name: "operations that fail",
      event: (n) => ({
        type: "operation.finished",
        name: `op${n}`,
        outcome: "failure",
        why: "no",
        loop: "rewrite",
      }),
    },
    {
      name: "checks that fail",
      event: (n) => ({
        type: "check.finished",
        check: "compile",
        outcome: "failure",
        first: `error ${n}`,
        loop: "rewrite",
      }),
    },
    {
      name: "failing calls",
      event: (n) => ({
        type: "tool.finished",
        tool: "write",
        input: { n },
        outcome: "error",
        output: `error ${n}`,
        loop: "rewrite",
      }),
    },
  ])("opens at the 60th of one sub-loop: $name", ({ event }) => {
    const { run, log } = startRun({ policies: [limits()] });
    for (let n = 0; n < 59; n += 1) run.record(event(n));
    expect(raised(log)).toEqual([]);
    run.record(event(59));
    expect(raised(log)).toEqual(["loop:rewrite"]);
  });

  it("counts failing calls of a sub-loop also when others of it go well", () => {
    const { run, log } = startRun({ policies: [limits({ corrections: 5 })] });
    for (let n = 0; n < 10; n += 1)
      run.record({
        type: "tool.finished",
        tool: "write",
        input: { n },
        outcome: n % 2 === 0 ? "error" : "ok",
        output: `x${n}`,
        loop: "rewrite",
      });
    expect(raised(log)).toEqual(["loop:rewrite"]);
  });

  it("leaves a long run alone in which a command fails now and then", () => {
    const { run, log } = startRun({ mode: "gate", policies: [watchdog(), escalation()] });
    for (const event of times(2000, (n) => bash(`make part-${n}`, `part ${n}`, n % 9 === 0 ? { ok: false } : {})))
      play(run, event);
    expect(raised(log)).toEqual([]);
    expect(run.view.stopped).toBeUndefined();
  });
});

describe("the breaker for one failure", () => {
  const fails = (n: number): NewEvent => ({ type: "validation.failed", path: "$.a", expected: `text${n}`, loop: "l" });
  const stagnations = (log: readonly RunEvent[]): readonly string[] =>
    log.flatMap((event) => (event.type === "alert.raised" && event.kind === "stagnation" ? [event.severity] : []));

  it("raises a notice at the third equal failure and opens at the fifth", () => {
    const { run, log } = startRun({ policies: [limits()] });
    const raised = Array.from({ length: 5 }, () => {
      run.record(fails(0));
      return stagnations(log).at(-1);
    });
    expect(raised).toEqual([undefined, undefined, "notice", "notice", "critical"]);
  });

  it("stays open until a review, a message or another phase", () => {
    const { run } = startRun({ policies: [limits()] });
    for (let n = 0; n < 5; n += 1) run.record(fails(0));
    run.record(fails(1));
    expect(run.view.alerts.size).toBe(1);
    run.record({ type: "message.received", text: "use text" });
    run.record(fails(1));
    expect(run.view.alerts.size).toBe(0);
  });

  it("ends a run as aborted_stagnation in mode nudge if the user set it as a limit", () => {
    const { run } = startRun({ policies: [limits({ sameFailure: 2, stops: ["stagnation"] })] });
    run.record(fails(0));
    run.record(fails(0));
    expect(run.view.stopped).toMatchObject({ reason: "aborted_stagnation" });
  });

  it("gives one signature to one set of errors in any order, and another one to another target", () => {
    const failure = { type: "op", fn: "process", target: "A", errors: ["e1", "e2"] };
    expect(failureSignature(failure)).toBe(failureSignature({ ...failure, errors: ["e2", "e1"] }));
    expect(failureSignature(failure)).not.toBe(failureSignature({ ...failure, target: "" }));
  });
});
