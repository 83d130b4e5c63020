import { describe, expect, it } from "vitest";
import { loggedRun, stored } from "../__fixtures__/logged-run.ts";
import { alert, nudge, refuse, review } from "../policies/decision.ts";
import { budget } from "../policies/budget.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import { simulateRun } from "./simulate-run.ts";

/** Refuses from the n-th identical tool name on. */
const strict = (times: number): Policy<{ count: number }> =>
  definePolicy({
    name: "strict",
    initial: () => ({ count: 0 }),
    observe: {
      "tool.requested": (state, { tool }) => {
        state.count = tool === "Bash" ? state.count + 1 : 0;
      },
    },
    decide: { "tool.requested": (_run, { count }) => (count > times ? refuse("Again?") : undefined) },
  });

/** Six turns with one call each. */
function oldLog(policies: readonly Policy<{ count: number }>[] = []): readonly unknown[] {
  const { run, log } = loggedRun({ mode: "gate", policies, task: { text: "do it" } });
  for (let n = 1; n <= 6; n += 1) {
    run.beforeTurn({ at: 1000 + n * 100 });
    if (run.beforeTool({ call: `c${String(n)}`, tool: "Bash" }).allow)
      run.record({ type: "tool.finished", call: `c${String(n)}`, outcome: "ok", output: "same" });
  }
  run.end();
  return stored(log);
}

describe("simulateRun", () => {
  it("simulateRun with the same policies decides the same, byte for byte", () => {
    const old = oldLog([strict(3)]);
    const { events, divergedAt, avoided, ignored, reinterpreted, run } = simulateRun(old, { policies: [strict(3)] });
    expect({ divergedAt, avoided, ignored, reinterpreted }).toEqual({
      divergedAt: undefined,
      avoided: [],
      ignored: 0,
      reinterpreted: false,
    });
    expect(JSON.stringify(events)).toBe(JSON.stringify(old));
    expect(run.view.task).toEqual({ text: "do it" });
  });

  it("simulateRun with a stricter policy names where it diverges and which results it would have avoided", () => {
    const old = oldLog();
    const { divergedAt, avoided, events } = simulateRun(old, { policies: [strict(3)] });
    const fourth = (old as readonly { type: string; call?: string; seq: number }[]).find(
      ({ type, call }) => type === "tool.requested" && call === "c4",
    );
    expect(divergedAt).toBe(fourth?.seq);
    expect(avoided.map(({ call }) => call)).toEqual(["c4", "c5", "c6"]);
    expect(events.filter(({ type }) => type === "tool.finished").map(({ call }) => call)).toEqual(["c1", "c2", "c3"]);
    expect(events.filter(({ type }) => type === "tool.refused")).toHaveLength(3);
  });

  it("a refusal that the mode does not apply avoids nothing", () => {
    const { avoided, divergedAt } = simulateRun(oldLog(), { mode: "nudge", policies: [strict(3)] });
    expect(avoided).toEqual([]);
    expect(divergedAt).toBeDefined();
  });

  it("simulateRun with a milder policy does not invent results, and an old refusal is not avoided now", () => {
    const { avoided, divergedAt, events } = simulateRun(oldLog([strict(3)]));
    expect(avoided).toEqual([]);
    expect(divergedAt).toBeDefined();
    expect(events.filter(({ type }) => type === "tool.finished")).toHaveLength(3);
  });

  it("simulateRun also compares what the start of the run leads to", () => {
    const eager = definePolicy({ name: "eager", decide: { "run.started": () => alert({ kind: "k" }) } });
    expect(simulateRun(oldLog(), { policies: [eager] }).divergedAt).toBe(1);
  });

  it("simulateRun inserts ticks at deadlines, each at its own time", () => {
    const timed = simulateRun(oldLog(), { policies: [budget({ timeMs: 250, soft: 1 })] });
    expect(timed.events.filter(({ type }) => type === "clock.ticked").map(({ at }) => at)).toEqual([1250]);
    expect(timed.events.find(({ type }) => type === "stop.requested")).toMatchObject({
      at: 1250,
      reason: "archive_timeout",
    });
  });

  it("simulateRun does not tick for a deadline after the next event", () => {
    const sleeper = definePolicy({
      name: "sleeper",
      wakeAt: () => 1350,
      decide: { "clock.ticked": () => alert({ kind: "late" }) },
    });
    const { events } = simulateRun(oldLog(), { policies: [sleeper] });
    const ticked = events.findIndex(({ type }) => type === "clock.ticked");
    expect(events[ticked]?.at).toBe(1350);
    expect(events.slice(0, ticked).every(({ at }) => at < 1350)).toBe(true);
    expect(events.slice(ticked + 1).every(({ at }) => at >= 1350)).toBe(true);
    const never = definePolicy({ name: "never", wakeAt: () => 9_000_000_000_000_000 });
    expect(simulateRun(oldLog(), { policies: [never] }).events.some(({ type }) => type === "clock.ticked")).toBe(false);
  });

  it("simulateRun skips each result once: of two refused calls, and not of a call requested again", () => {
    const { run, log } = loggedRun({ mode: "gate" });
    run.beforeTurn();
    for (const call of ["a", "b"]) run.beforeTool({ call, tool: "Bash" });
    for (const call of ["b", "a"]) run.record({ type: "tool.finished", call, outcome: "ok" });
    run.beforeTurn();
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    const { avoided, events, ignored } = simulateRun(stored(log), { mode: "gate", policies: [strict(0)] });
    expect(avoided.map(({ call }) => call)).toEqual(["b", "a"]);
    expect(events.filter(({ type }) => type === "tool.finished")).toHaveLength(1);
    expect(ignored).toBe(0);
  });

  it("simulateRun keeps the ticks of the old run as they were", () => {
    const { run, log } = loggedRun({ policies: [budget({ timeMs: 250, soft: 1 })] });
    run.tick(1250);
    run.record({ type: "turn.started", at: 1300 });
    const again = simulateRun(stored(log), { policies: [budget({ timeMs: 250, soft: 1 })] });
    expect(again.divergedAt).toBeUndefined();
    expect(again.events.filter(({ type }) => type === "clock.ticked")).toHaveLength(1);
  });

  it("simulateRun gives up on a deadline that does not advance", () => {
    const stuck = definePolicy({ name: "stuck", wakeAt: (run) => run.now });
    expect(simulateRun(oldLog(), { policies: [stuck] }).events.at(-1)?.type).toBe("run.finished");
  });

  it("simulateRun leaves out answers to reviews that were not requested again, and counts them", () => {
    const asks = definePolicy({
      name: "asks",
      decide: { "turn.started": (run) => [nudge("x"), ...(run.turn === 1 ? [review({ kind: "k", text: "?" })] : [])] },
    });
    const { run, log } = loggedRun({ policies: [asks] });
    run.beforeTurn();
    run.record({ type: "review.finished", review: "asks:1", verdict: "approve" });
    const { ignored, events } = simulateRun(stored(log));
    expect(ignored).toBe(1);
    expect(events.some(({ type }) => type === "review.finished")).toBe(false);
    expect(simulateRun(stored(log), { policies: [asks] }).ignored).toBe(0);
  });

  it("simulateRun interprets again on request, and says so", () => {
    const old = oldLog();
    const again = simulateRun(old, {
      interpret: { name: "other", interpret: (_call, result) => ({ activity: result === undefined ? "run" : "test" }) },
    });
    expect(again.reinterpreted).toBe(true);
    expect(again.events.flatMap((event) => (event.type === "tool.finished" ? [event.meaning.activity] : []))).toEqual([
      "test",
      "test",
      "test",
      "test",
      "test",
      "test",
    ]);
    const kept = simulateRun(old);
    expect(kept.events.flatMap((event) => (event.type === "tool.finished" ? [event.meaning.activity] : []))).toEqual([
      "run",
      "run",
      "run",
      "run",
      "run",
      "run",
    ]);
  });

  it("simulateRun forgets failures of the old interpreters when it interprets again", () => {
    const { run, log } = loggedRun({
      interpret: {
        name: "broken",
        interpret: () => {
          throw new Error("x");
        },
      },
    });
    run.record({ type: "tool.requested", tool: "Read" });
    expect(simulateRun(stored(log)).events.some(({ type }) => type === "policy.failed")).toBe(true);
    expect(
      simulateRun(stored(log), { interpret: { name: "fine", interpret: () => ({}) } }).events.some(
        ({ type }) => type === "policy.failed",
      ),
    ).toBe(false);
  });

  it("simulateRun keeps item and parent of the old run, and accepts another budget for a child", () => {
    const { run } = loggedRun({ policies: [budget({ tokens: 100, soft: 1 })] });
    const child = run.child({ id: "child", item: { id: "item-1" } });
    const log: unknown[] = [];
    child.subscribe((step) => log.push(...stored(step)));
    child.record({ type: "model.answered", usage: { inputTokens: 150 } });
    const same = simulateRun(log);
    expect(same.run.view).toMatchObject({ item: { id: "item-1" }, parent: { run: "run" }, limits: { tokens: 100 } });
    expect(same.divergedAt).toBeUndefined();
    const looser = simulateRun(log, { policies: [budget({ tokens: 500, soft: 1 })] });
    expect(looser.run.view.stopped).toBeUndefined();
    expect(looser.divergedAt).toBe(2);
  });
});
