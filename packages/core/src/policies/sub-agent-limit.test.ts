import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import type { NewEvent } from "../events/run-event.ts";
import { describePolicy } from "../testing.ts";
import { subAgentLimit, type SubAgentLimitOptions } from "./sub-agent-limit.ts";

const started = (child: string, at?: number): NewEvent => ({
  type: "child.started",
  child,
  ...(at !== undefined && { at }),
});
const delegate = { tool: "task", input: { prompt: "look" } };

describePolicy(() => subAgentLimit({ count: 1 }), {
  describe,
  it,
  events: [
    started("a"),
    { type: "tool.requested", ...delegate },
    started("b"),
    { type: "turn.started" },
    { type: "child.finished", child: "a", reason: "done" },
    { type: "turn.started" },
  ],
});

describe("subAgentLimit", () => {
  const limited = (options: SubAgentLimitOptions, mode: "nudge" | "gate" = "gate") =>
    loggedRun({ mode, policies: [subAgentLimit(options)] });

  it.each<{
    readonly what: string;
    readonly options: SubAgentLimitOptions;
    readonly events: readonly NewEvent[];
    readonly refused: string | undefined;
  }>([
    { what: "below the count", options: { count: 2 }, events: [started("a")], refused: undefined },
    { what: "at the count", options: { count: 1 }, events: [started("a")], refused: "1 in this run" },
    { what: "at work together", options: { running: 1 }, events: [started("a")], refused: "1 at work together" },
    {
      what: "at work one after the other",
      options: { running: 1 },
      events: [started("a"), { type: "child.finished", child: "a", reason: "done" }],
      refused: undefined,
    },
    { what: "too deep", options: { depth: 0 }, events: [], refused: "0 levels deep" },
    {
      what: "too fast",
      options: { rate: { count: 2, withinMs: 1000 } },
      events: [started("a", 2000), started("b", 2100)],
      refused: "2 in 1 s",
    },
    {
      what: "fast enough",
      options: { rate: { count: 2, withinMs: 1000 } },
      events: [started("a", 2000), started("b", 2100), { type: "message.sent", text: "hm", at: 4000 }],
      refused: undefined,
    },
  ])("a call that delegates, $what: $refused", ({ options, events, refused }) => {
    const { run } = limited(options);
    for (const event of events) run.record(event);
    const answer = run.beforeTool(delegate);
    expect(answer.allow).toBe(refused === undefined);
    if (refused !== undefined) expect(answer.text).toContain(refused);
    expect(run.beforeTool({ tool: "read_file", input: { path: "a" } }).allow).toBe(true);
  });

  it("raises an alert and nudges once more than the limit were started", () => {
    const { run, of } = limited({ count: 1 }, "nudge");
    run.record(started("a"));
    run.beforeTurn();
    expect(of("alert.raised")).toEqual([]);
    run.record({ type: "model.answered" });
    run.record(started("b"));
    run.beforeTurn();
    expect(of("alert.raised")).toMatchObject([{ kind: "sub-agents", signature: "count", count: 2 }]);
    expect(of("nudge.sent").map(({ text }) => text)).toEqual([
      "No more sub-agents: the limit is 1 in this run. Do the rest yourself, or wait for the ones at work.",
    ]);
  });

  it("knows how deep a child is", () => {
    const { run } = loggedRun();
    const grandchild = run.child().child({ mode: "gate", policies: [subAgentLimit({ depth: 2 })] });
    expect(grandchild.view.parent?.depth).toBe(2);
    expect(grandchild.beforeTool(delegate).allow).toBe(false);
    expect(run.child({ mode: "gate", policies: [subAgentLimit({ depth: 2 })] }).beforeTool(delegate).allow).toBe(true);
  });

  it.each([{ count: -1 }, { rate: { count: Number.NaN, withinMs: 1 } }])("refuses %j", (options) => {
    expect(() => subAgentLimit(options)).toThrow(/not a number of at least 0/);
  });
});
