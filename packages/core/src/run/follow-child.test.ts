import { describe, expect, it } from "vitest";
import { loggedRun, stored } from "../__fixtures__/logged-run.ts";
import { refuse } from "../policies/decision.ts";
import type { NewEvent, RunEvent } from "../events/run-event.ts";
import { budget } from "../policies/budget.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { definePolicy } from "../policies/policy.ts";
import { replayRun } from "../log/replay-run.ts";
import { simulateRun } from "../log/simulate-run.ts";

const usage = (inputTokens: number): NewEvent => ({
  type: "model.answered",
  usage: { inputTokens, outputTokens: 1, cost: 0.5 },
});
const graph = definePhaseGraph({ initial: "look", phases: { look: { next: [], final: true } } });

describe("a child", () => {
  it("a child has its own log and graph, and is announced to its parent", () => {
    const { run, of } = loggedRun();
    const log: RunEvent[] = [];
    const child = run.child({ id: "child", graph, call: "c1", task: { text: "find it" } });
    child.subscribe((step) => log.push(...step));
    expect(log[0]).toMatchObject({
      type: "run.started",
      run: "child",
      phase: "look",
      parent: { run: "run", call: "c1" },
      task: { text: "find it" },
    });
    expect(of("child.started")).toMatchObject([{ child: "child", call: "c1", task: "find it" }]);
    expect([...run.view.children.values()]).toEqual([
      { child: "child", status: "running", toolCalls: 0, inputTokens: 0, outputTokens: 0 },
    ]);
    expect(child.view.isIn("look")).toBe(true);
  });

  it("a child reports its spending turn by turn, and how it ended; the parent's log replays alone", () => {
    const { run, of, log } = loggedRun({ policies: [budget({ tokens: 1000 })] });
    const child = run.child({ id: "child", graph, interpret: { name: "i", interpret: () => ({ fingerprint: "f" }) } });
    child.beforeTurn();
    expect(of("child.progressed")).toEqual([]);
    child.record(usage(10));
    child.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    child.record({ type: "tool.finished", tool: "Read", outcome: "error" });
    child.beforeTurn();
    expect(of("child.progressed")).toMatchObject([
      {
        child: "child",
        usage: { inputTokens: 10, outputTokens: 1, cost: 0.5 },
        toolCalls: 2,
        fingerprints: ["f", "f"],
        unknownCost: 0,
      },
    ]);
    child.record({ type: "model.answered" });
    child.beforeTurn();
    child.record({ type: "model.answered", usage: { inputTokens: 5, estimated: true } });
    child.end({ reason: "cancelled" });
    expect(of("child.progressed").map(({ usage: spent, unknownUsage }) => [spent?.inputTokens, unknownUsage])).toEqual([
      [10, undefined],
      [0, 1],
      [5, undefined],
    ]);
    expect(of("child.finished")).toMatchObject([
      { child: "child", reason: "cancelled", verified: false, phase: "look" },
    ]);
    expect(run.view.usage).toMatchObject({ inputTokens: 15, outputTokens: 1, cost: 0.5, unknownCalls: 1 });
    expect([...run.view.children.values()]).toEqual([
      {
        child: "child",
        status: "ended",
        reason: "cancelled",
        toolCalls: 2,
        inputTokens: 15,
        outputTokens: 1,
        cost: 0.5,
      },
    ]);
    const { run: again } = replayRun(stored(log), { policies: [budget({ tokens: 1000 })] });
    expect(again.view.usage).toEqual(run.view.usage);
    expect([...again.view.children]).toEqual([...run.view.children]);
  });

  it("a child that did nothing reports only its end", () => {
    const { run, typesFrom } = loggedRun();
    run.child({ id: "child" }).end();
    expect(typesFrom(2)).toEqual(["child.started", "child.finished"]);
  });

  it("a child keeps at most 32 fingerprints per report", () => {
    const { run, of } = loggedRun();
    const child = run.child({ id: "child", interpret: { name: "i", interpret: () => ({ fingerprint: "f" }) } });
    for (let n = 0; n < 40; n += 1) child.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    child.end();
    expect(of("child.progressed")[0]).toMatchObject({ toolCalls: 40 });
    expect(of("child.progressed")[0]?.fingerprints).toHaveLength(32);
  });

  it("a child takes mode, redaction, clipping, clock and ids from its parent, unless it has its own", () => {
    let ids = 0;
    const { run, clock } = loggedRun({
      mode: "gate",
      redact: (json) => JSON.parse(JSON.stringify(json).replaceAll("secret", "[x]")) as never,
      clip: { text: 60 },
      createId: () => `id-${String((ids += 1))}`,
    });
    clock.advance(500);
    const log: RunEvent[] = [];
    const child = run.child({
      policies: [definePolicy({ name: "p", decide: { "tool.requested": () => refuse("no") } })],
    });
    child.subscribe((step) => log.push(...step));
    expect(child).toMatchObject({ id: "id-1", mode: "gate" });
    child.record({ type: "plan.declared", text: `secret ${"x".repeat(500)}` });
    expect(log[0]?.at).toBe(1500);
    expect(log[1]).toMatchObject({ text: expect.stringMatching(/^\[x\] x+\n…/) as string });
    expect((log[1] as { text: string }).text.length).toBeLessThanOrEqual(60);
    expect(child.beforeTool({ tool: "Read" }).allow).toBe(false);
    expect(run.child({ mode: "observe" }).mode).toBe("observe");
  });

  it("a child stops when its parent ends, and when its parent is stopped", () => {
    for (const finish of ["end", "stop"] as const) {
      const { run } = loggedRun();
      const child = run.child({ id: "child" });
      const done = run.child({ id: "done" });
      done.end();
      run[finish]();
      expect(child.beforeTurn().stop).toMatchObject({ reason: "parent_ended" });
      child.end();
      expect(child.outcome?.reason).toBe("parent_ended");
      expect(done.outcome?.reason).toBe("done");
    }
  });

  it("a child of a parent that has ended is stopped immediately", () => {
    const { run, of } = loggedRun();
    run.end();
    const child = run.child({ id: "child" });
    expect(child.beforeTurn().stop).toMatchObject({ reason: "parent_ended" });
    expect(of("child.started")).toEqual([]);
  });

  it("a child may have children of its own; their spending reaches the first parent", () => {
    const { run } = loggedRun();
    const child = run.child({ id: "child" });
    const grandchild = child.child({ id: "grandchild" });
    grandchild.record(usage(7));
    grandchild.end();
    child.beforeTurn();
    expect(run.view.usage.inputTokens).toBe(7);
  });

  it("a child unknown to its parent still spends from it, and is not made up", () => {
    const { run } = loggedRun();
    run.record({ type: "child.progressed", child: "stranger", usage: { outputTokens: 5 }, unknownUsage: 2 });
    run.record({ type: "child.finished", child: "stranger", reason: "done" });
    expect(run.view.usage).toMatchObject({ outputTokens: 5, unknownCalls: 2 });
    expect(run.view.children.size).toBe(0);
  });

  it("a child reported by a host may leave out unknown fields", () => {
    const { run } = loggedRun();
    run.record({ type: "child.started", child: "c" });
    run.record({ type: "child.progressed", child: "c" });
    run.record({ type: "child.progressed", child: "c", toolCalls: 2, usage: { inputTokens: 3 } });
    expect(run.view.children.get("c")).toEqual({
      child: "c",
      status: "running",
      toolCalls: 2,
      inputTokens: 3,
      outputTokens: 0,
    });
  });

  it("a child replayed from its log is still bound by what its parent had left", () => {
    const { run } = loggedRun({ policies: [budget({ tokens: 100, soft: 1 })] });
    const log: RunEvent[] = [];
    const child = run.child({ id: "child" });
    child.subscribe((step) => log.push(...step));
    child.record(usage(50));
    const { run: again } = replayRun(stored(log));
    again.record(usage(60));
    expect(again.view.stopped?.reason).toBe("token_limit");
    child.record(usage(60));
    expect(simulateRun(stored(log)).divergedAt).toBeUndefined();
  });
});
