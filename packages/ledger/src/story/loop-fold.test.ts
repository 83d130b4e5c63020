import { alert, createRun, definePolicy, type NewEvent, nudge, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { summarizeRun } from "../summarize-run.ts";
import { explainRun } from "./explain-run.ts";
import { isLoopKind, loopsOf } from "./loop-fold.ts";

const alarm = (kind: string) =>
  definePolicy({
    name: "alarm",
    decide: { "tool.finished": (run) => (run.toolCalls >= 3 ? alert({ kind, count: run.toolCalls }) : undefined) },
  });

function logOf(kind: string): readonly RunEvent[] {
  const run = createRun({ policies: [alarm(kind)] });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  for (let n = 0; n < 4; n += 1) run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
  run.end();
  return log;
}

describe("loopsOf", () => {
  it.each([
    ["repeated-call", 1],
    ["stall", 1],
    ["a-kind-of-the-user", 1],
    ["usage-unknown", 0],
    ["silence", 0],
  ])("counts an alert of kind %s as %i loops", (kind, loops) => {
    expect(loopsOf(logOf(kind))).toHaveLength(loops);
    expect(isLoopKind(kind)).toBe(loops > 0);
  });
});

describe("the range of a loop", () => {
  /** An alert about the call `again`, while it is the newest but one at most. */
  const watch = (severity: "notice" | "warning") =>
    definePolicy({
      name: "watch",
      decide: {
        "tool.finished": (run) =>
          run.toolCalls >= 3 ? alert({ kind: "repeat", severity, count: 3, subject: "again" }) : undefined,
        "message.sent": () => alert({ kind: "repeat", severity, count: 3 }),
      },
    });
  const call = (about: string, meaning: object = {}): NewEvent => ({
    type: "tool.finished",
    tool: "Bash",
    outcome: "ok",
    meaning: { about, gain: 0, ...meaning },
  });
  const play = (events: readonly NewEvent[], severity: "notice" | "warning" = "warning"): readonly RunEvent[] => {
    const run = createRun({ policies: [watch(severity)] });
    const log: RunEvent[] = [];
    run.subscribe((step) => log.push(...step));
    for (const event of events) run.record(event);
    run.end();
    return log;
  };
  const again = [1, 2, 3, 4, 5].map(() => call("again"));

  it("a loop counts every repetition, also those after its alert", () => {
    expect(loopsOf(play(again))).toMatchObject([{ from: 1, to: 5, count: 5, open: true }]);
  });

  it.each([
    ["an edit", call("edit", { activity: "edit", mutates: true })],
    ["a call with news", call("other", { gain: 0.9 })],
  ])("a loop ends before %s", (_what, end) => {
    expect(loopsOf(play([...again, end]))).toMatchObject([{ from: 1, to: 5, count: 5, open: false }]);
  });

  it("an alert of severity notice is not a loop, nor is a chat without calls", () => {
    expect(loopsOf(play(again, "notice"))).toEqual([]);
    expect(loopsOf(play([{ type: "message.sent", text: "Hello." }]))).toEqual([]);
  });
});

describe("nudges in records", () => {
  const once = definePolicy({
    name: "once",
    decide: { "turn.started": ({ turn }) => (turn === 1 ? nudge("Look.") : undefined) },
  });

  it.each([
    ["observe", { sent: 1, applied: 0, helped: 0 }],
    ["nudge", { sent: 1, applied: 1, helped: 1 }],
  ] as const)("in mode %s count as helped only if they were sent", (mode, expected) => {
    const run = createRun({ mode, policies: [once] });
    const log: RunEvent[] = [];
    run.subscribe((step) => log.push(...step));
    for (let n = 0; n < 2; n += 1) {
      run.beforeTurn();
      run.record({ type: "model.answered" });
    }
    run.end();
    expect(log.some(({ type }) => type === "nudge.settled")).toBe(true);
    expect(summarizeRun(log).phases[0]?.nudges).toMatchObject(expected);
    // A log of an earlier version does not say that the nudge was never sent.
    const old = log.map((event) => (event.type === "nudge.settled" ? { ...event, applied: undefined } : event));
    expect(summarizeRun(old as readonly RunEvent[]).phases[0]?.nudges).toMatchObject(expected);
  });
});

describe("the record of a parent", () => {
  it("says what its sub-agents spent, how many files were read, and keeps unknown costs unknown", () => {
    const run = createRun();
    const log: RunEvent[] = [];
    run.subscribe((step) => log.push(...step));
    const child = run.child({ id: "child" });
    child.record({ type: "model.answered", usage: { inputTokens: 100, outputTokens: 10 } });
    child.end();
    for (const path of ["a.ts", "b.ts", "a.ts"])
      run.record({ type: "tool.finished", tool: "read_file", outcome: "ok", input: { path } });
    run.end();
    const summary = summarizeRun(log);
    expect(summary.phases[0]?.children).toEqual([{ run: "child", inputTokens: 100, outputTokens: 10, reason: "done" }]);
    expect(summary.phases[0]?.aggregates.total.metric.filesRead).toBe(2);
    expect(explainRun(log)).toContain("Besides, 1 sub-agent: 100 input and 10 output tokens.");
  });
});
