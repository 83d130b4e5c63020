import { createRun, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { childRows } from "./child-rows.ts";
import { eventText } from "./event-text.ts";

/** A run with two sub-agents, of which the second is still at work. */
function parentLog(): readonly RunEvent[] {
  const log: RunEvent[] = [];
  let id = 0;
  const run = createRun({ id: "shop", clock: () => 1, createId: () => `child-${String((id += 1))}` });
  run.subscribe((step) => log.push(...step));
  const first = run.child({ task: { text: "Find every total\nand list them" } });
  for (const call of ["a", "b"]) {
    first.record({ type: "turn.started" });
    first.record({ type: "model.answered", usage: { inputTokens: 900, outputTokens: 80 } });
    first.record({ type: "tool.finished", call, tool: "Grep", input: {}, outcome: "ok" });
  }
  first.record({ type: "turn.started" });
  first.end({ reason: "gave_up" });
  run.child();
  return log;
}

describe("childRows", () => {
  it("tells of each sub-agent what it was asked for, how it ended and what it used", () => {
    const [first, second, ...more] = childRows(parentLog());
    expect(first).toMatchObject({
      ...{ task: "Find every total", word: "gave_up", tone: "bad", calls: 2, tokens: 1960, changed: [] },
    });
    expect(first?.lastSeq).toBeGreaterThan(first?.seq ?? 0);
    expect(second?.name).not.toBe(first?.name);
    expect([second?.task, second?.word, second?.tokens, more]).toEqual([undefined, undefined, undefined, []]);
  });

  it("a run without sub-agents has none", () => {
    expect(childRows([])).toEqual([]);
  });

  it("the progress of a sub-agent is a sentence", () => {
    const progress = parentLog().find(({ type }) => type === "child.progressed");
    expect(progress && eventText(progress)).toMatch(/^Sub-agent \S+: .*900 in, 80 out$/);
  });
});
