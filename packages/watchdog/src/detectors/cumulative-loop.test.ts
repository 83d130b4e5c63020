import type { NewFact, RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { bash, times } from "../../test/case-builders.ts";
import { startRun, tell } from "../../test/case-driver.ts";
import { escalation } from "../escalation.ts";
import { watchdog } from "../watchdog.ts";
import { cumulativeLoop } from "./cumulative-loop.ts";

const raised = (log: readonly RunEvent[]): readonly string[] => log.flatMap((event) => (event.type === "alert.raised" && event.kind === "cumulative-loop" ? [event.signature] : []));

describe("cumulativeLoop", () => {
  it.each<{ readonly name: string; readonly fact: (n: number) => NewFact }>([
    { name: "arguments that do not validate", fact: (n) => ({ type: "validation.failed", path: `$.f${String(n)}`, expected: "text", loop: "rewrite" }) },
    { name: "operations that fail", fact: (n) => ({ type: "operation.finished", name: `op${String(n)}`, outcome: "failure", why: "no", loop: "rewrite" }) },
    { name: "checks that fail", fact: (n) => ({ type: "check.finished", check: "compile", outcome: "failure", first: `error ${String(n)}`, loop: "rewrite" }) },
    { name: "failing calls", fact: (n) => ({ type: "tool.finished", tool: "write", input: { n }, outcome: "error", output: `error ${String(n)}`, loop: "rewrite" }) },
  ])("opens at the 60th of one sub-loop: $name", ({ fact }) => {
    const { run, log } = startRun({ policies: [cumulativeLoop()] });
    for (let n = 0; n < 59; n += 1) run.record(fact(n));
    expect(raised(log)).toEqual([]);
    run.record(fact(59));
    expect(raised(log)).toEqual(["loop:rewrite"]);
  });

  it("counts failing calls of a sub-loop also when others of it go well", () => {
    const { run, log } = startRun({ policies: [cumulativeLoop({ perLoop: 5 })] });
    for (let n = 0; n < 10; n += 1) run.record({ type: "tool.finished", tool: "write", input: { n }, outcome: n % 2 === 0 ? "error" : "ok", output: `x${String(n)}`, loop: "rewrite" });
    expect(raised(log)).toEqual(["loop:rewrite"]);
  });

  it("leaves a long run alone in which a command fails now and then", () => {
    const { run, log } = startRun({ mode: "gate", policies: [watchdog(), escalation()] });
    for (const event of times(2000, (n) => bash(`make part-${String(n)}`, `part ${String(n)}`, n % 9 === 0 ? { ok: false } : {}))) tell(run, event);
    expect(raised(log)).toEqual([]);
    expect(run.view.stopped).toBeUndefined();
  });
});
