import type { NewFact, Run, RunEvent } from "@phasekit/core";
import { manualClock } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { startRun } from "../test/case-driver.ts";
import { escalation } from "./escalation.ts";
import { nudgeText } from "./nudge-texts.ts";
import { watchdog } from "./watchdog.ts";

const MINUTE = 60_000;

function start(): { readonly run: Run; readonly log: RunEvent[]; readonly pass: (minutes: number) => void } {
  const clock = manualClock({ step: 1 });
  const { run, log } = startRun({ mode: "gate", policies: [watchdog(), escalation()], clock: clock.now });
  return { run, log, pass: (minutes) => { clock.advance(minutes * MINUTE); } };
}

/** Ordinary work: every turn one call that looks at something new. */
function work(run: Run, turns: number): void {
  for (let n = 0; n < turns; n += 1) {
    if (run.beforeTurn().stop !== undefined) return;
    const { call } = run.beforeTool({ tool: "read_file", input: { path: `src/${String(run.view.turn)}.ts` } });
    run.record({ type: "tool.finished", call, outcome: "ok", output: `content ${String(run.view.turn)}` });
    run.record({ type: "model.answered", toolCalls: 1 });
  }
}

const openKinds = (run: Run): readonly string[] => [...run.view.alerts.values()].map(({ kind }) => kind);
const raised = (log: readonly RunEvent[]): readonly string[] => log.flatMap((event) => (event.type === "alert.raised" ? [event.kind] : []));
const consequences = (log: readonly RunEvent[]): readonly string[] =>
  log.flatMap(({ type }) => (type === "stop.requested" || type === "review.requested" || type === "tool.refused" ? [type] : []));

describe("a call that is late", () => {
  function late(minutes: number) {
    const { run, log, pass } = start();
    run.beforeTurn();
    const { call } = run.beforeTool({ tool: "bash", input: { command: "make" } });
    pass(minutes);
    run.tick();
    return { run, log, call };
  }

  it.each([[9, []], [10, ["call-timeout"]], [40, ["call-timeout"]]])("after %i minutes: %j", (minutes, kinds) => {
    expect(openKinds(late(minutes).run)).toEqual(kinds);
  });

  it("is no longer late when it has come back, and nothing follows from it", () => {
    const { run, log, call } = late(10);
    run.record({ type: "tool.finished", call, outcome: "ok", output: "built" });
    expect(openKinds(run)).toEqual([]);
    work(run, 30);
    expect(consequences(log)).toEqual([]);
  });

  it("is forgotten when it never comes back and a later call does", () => {
    const { run, log } = late(10);
    work(run, 1);
    expect(openKinds(run)).toEqual([]);
    work(run, 30);
    expect(raised(log)).toEqual(["call-timeout"]);
    expect(consequences(log)).toEqual([]);
  });

  it("holds while it comes back late, until the next one is in time", () => {
    const { run, call } = late(10);
    run.record({ type: "tool.finished", call, outcome: "ok", output: "built", durationMs: 11 * MINUTE });
    expect(openKinds(run)).toEqual(["call-timeout"]);
    run.record({ type: "model.answered", toolCalls: 1 });
    expect(openKinds(run)).toEqual([]);
  });

  it("never ends a run, however many there are", () => {
    const { run, log } = start();
    for (let n = 0; n < 20; n += 1) {
      run.beforeTurn();
      const { call } = run.beforeTool({ tool: "bash", input: { command: `make part${String.fromCharCode(97 + n)}` } });
      run.record({ type: "tool.finished", call, outcome: "ok", output: `built ${String.fromCharCode(97 + n)}`, durationMs: 15 * MINUTE });
    }
    expect(raised(log)).toContain("call-timeout");
    expect(consequences(log)).toEqual([]);
  });
});

describe("an alert that nothing renews", () => {
  const failedModel: NewFact = { type: "model.failed", status: 500, message: "overloaded" };
  it.each<[what: string, kind: string, facts: readonly NewFact[]]>([
    ["a model call that failed after an hour", "call-timeout", [{ type: "model.failed", message: "timed out", durationMs: 60 * MINUTE }]],
    ["one validation that failed again and again", "stagnation", Array.from({ length: 4 }, () => ({ type: "validation.failed", path: "a.b", expected: "number" }))],
    ["the same words three times", "repeated-message", Array.from({ length: 3 }, () => ({ type: "message.sent", text: "I am looking at the parser now." }))],
    ["the same question three times", "repeated-question", Array.from({ length: 3 }, () => ({ type: "message.sent", text: "Which database should the service use?" }))],
  ])("%s: is cleared by ordinary work, and nothing follows", (_what, kind, facts) => {
    const { run, log } = start();
    run.beforeTurn();
    for (const fact of facts) run.record(fact);
    expect(raised(log)).toContain(kind);
    work(run, 30);
    expect(openKinds(run)).toEqual([]);
    expect(consequences(log)).toEqual([]);
  });

  it("a chant that was followed by work is cleared too", () => {
    const { run, log } = start();
    run.beforeTurn();
    const chant = "I will fix it now and then I will look at it again. ".repeat(40);
    run.text(chant);
    run.record({ type: "message.sent", text: chant });
    expect(raised(log)).toContain("chanting");
    work(run, 30);
    expect(openKinds(run)).toEqual([]);
    expect(log.filter(({ type }) => type === "stop.requested")).toEqual([]);
  });

  it("does not climb between two looks at the workspace", () => {
    const { run, log } = start();
    for (let n = 0; n < 20; n += 1) run.record({ type: "workspace.observed", hash: "same" });
    expect(raised(log)).toContain("stale-workspace");
    work(run, 30);
    expect(log.filter(({ type }) => type === "stop.requested")).toEqual([]);
  });

  it("silence is over with the first thing that is heard", () => {
    const { run, log, pass } = start();
    work(run, 1);
    pass(31);
    run.tick();
    expect(openKinds(run)).toEqual(["silence"]);
    work(run, 30);
    expect(openKinds(run)).toEqual([]);
    expect(consequences(log)).toEqual([]);
  });

  it.each([[9, ["upstream-errors"]], [10, []]])("an upstream that gave %i good answers in a row: %j", (answers, kinds) => {
    const { run } = start();
    for (let n = 0; n < 11; n += 1) run.record(failedModel);
    for (let n = 0; n < answers; n += 1) run.record({ type: "model.answered", toolCalls: 1 });
    expect(openKinds(run)).toEqual(kinds);
  });
});

describe("a breaker that opened", () => {
  function open() {
    const { run, log } = start();
    const fail = (): void => {
      run.beforeTurn();
      const { call, allow } = run.beforeTool({ tool: "bash", input: { command: "git push" } });
      if (allow) run.record({ type: "tool.finished", call, outcome: "error", output: "remote rejected" });
    };
    for (let n = 0; n < 5; n += 1) fail();
    return { run, log, fail };
  }
  const change: NewFact = { type: "tool.finished", tool: "edit", outcome: "ok", output: "ok", input: { path: "a.ts", old: "a", new: "b" } };

  it("ends the run when it goes on", () => {
    const { run, log, fail } = open();
    for (let n = 0; n < 4; n += 1) fail();
    expect(run.view.alerts.size).toBeGreaterThan(0);
    expect(consequences(log)).toContain("stop.requested");
  });

  it("ends no run that changes something and goes on without it", () => {
    const { run, log } = open();
    run.record(change);
    work(run, 30);
    expect(log.filter(({ type }) => type === "stop.requested")).toEqual([]);
  });
});

describe("the words about a failure", () => {
  it.each([
    ["", "`bash` failed 3 times, whatever its arguments. Other"],
    ["  ", "`bash` failed 3 times, whatever its arguments. Other"],
    ["Error: ", "`bash` failed 3 times, whatever its arguments. Other"],
    ["Error: no space left", "`bash` failed 3 times, whatever its arguments (error: no space left). Other"],
  ])("with the error %j", (error, words) => {
    expect(nudgeText({ kind: "failing-tool", signature: "bash", evidence: { tool: "bash", error } }, 3)).toContain(words);
  });
});
