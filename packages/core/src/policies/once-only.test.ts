import { describe, expect, it } from "vitest";
import type { NewEvent } from "../events/run-event.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { describePolicy } from "../testing.ts";
import { describeTools } from "../ingest/name-table-interpreter.ts";
import { createRun } from "../run/run.ts";
import { onceOnly } from "./once-only.ts";

const tools = describeTools({ crm_lookup: "read", refund: { activity: "act", undo: false }, mail: "act" });

function support() {
  const run = createRun({ mode: "gate", interpret: tools, policies: [onceOnly()] });
  let calls = 0;
  return {
    run,
    call: (tool: string, input: object, outcome: "ok" | "error" = "ok"): boolean => {
      run.beforeTurn();
      const answer = run.beforeTool({ call: `c${String((calls += 1))}`, tool, input });
      if (answer.allow) run.record({ type: "tool.finished", call: answer.call, outcome, output: "" });
      return answer.allow;
    },
  };
}

describe("onceOnly", () => {
  it("refuses a call that worked and cannot be taken back, whatever the order of its arguments", () => {
    const { call } = support();
    expect(call("refund", { order: 7, amount: 20 })).toBe(true);
    expect(call("refund", { amount: 20, order: 7 })).toBe(false);
    expect(call("refund", { order: 8, amount: 20 })).toBe(true);
  });

  it.each(["crm_lookup", "mail", "unknown_tool"])("leaves %s alone", (tool) => {
    const { call } = support();
    expect([1, 2, 3].map(() => call(tool, { id: 1 }))).toEqual([true, true, true]);
  });

  it("a call that failed may be made again, and one that worked after the user spoke", () => {
    const { run, call } = support();
    expect([call("refund", { order: 7 }, "error"), call("refund", { order: 7 }), call("refund", { order: 7 })]).toEqual(
      [true, true, false],
    );
    run.record({ type: "message.received", from: "user", text: "Refund it again, please." });
    expect(call("refund", { order: 7 })).toBe(true);
  });

  it("refuses nothing in mode nudge, and says that it would have", () => {
    const run = createRun({ interpret: tools, policies: [onceOnly()] });
    const refused: boolean[] = [];
    run.subscribe((step) => {
      for (const event of step) if (event.type === "tool.refused") refused.push(event.applied);
    });
    for (const call of ["a", "b"]) {
      expect(run.beforeTool({ call, tool: "refund", input: { order: 7 } }).allow).toBe(true);
      run.record({ type: "tool.finished", call, outcome: "ok", output: "" });
    }
    expect(refused).toEqual([false]);
  });
});

describe("describeTools", () => {
  it.each([
    ["crm_lookup", { activity: "read", mutates: false, effect: "look" }],
    ["mcp__crm__crm_lookup", { activity: "read", mutates: false, effect: "look" }],
    ["refund", { activity: "act", mutates: true, effect: "act", undo: false }],
    ["Bash", undefined],
  ])("%s means %j", (tool, meaning) => {
    const found = tools.interpret({ tool, input: {} });
    if (meaning === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(meaning);
  });

  it("refuses a tool without an activity", () => {
    expect(() => describeTools({ refund: {} as never })).toThrow(/refund.*activity/);
  });
});

describePolicy(onceOnly, {
  describe,
  it,
  graph: definePhaseGraph({ initial: "work", phases: { work: { next: [], final: true } } }),
  events: ["a", "b"].flatMap((call): NewEvent[] => [
    { type: "turn.started" },
    { type: "tool.requested", call, tool: "refund", input: { order: 7 }, meaning: { undo: false, fingerprint: "f" } },
    { type: "tool.finished", call, outcome: "ok", output: "" },
  ]),
});
