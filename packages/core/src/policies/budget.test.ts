import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import type { NewEvent } from "../events/run-event.ts";
import type { RunPort } from "../run/run.ts";
import { remainingBudget, spentBudget } from "../view/run-view.ts";
import { describePolicy } from "../testing.ts";
import { budget, type BudgetOptions } from "./budget.ts";

const usage = (inputTokens: number, outputTokens = 0): NewEvent => ({
  type: "model.answered",
  usage: { inputTokens, outputTokens },
});
const limited = (options: BudgetOptions, mode: "observe" | "nudge" | "gate" = "nudge") =>
  loggedRun({ mode, policies: [budget(options)] });

/** One turn of the agent; whether it was stopped, wrapped up or went on, and what it was told. */
function turn(
  run: RunPort,
  events: readonly NewEvent[] = [{ type: "model.answered", usage: { inputTokens: 0 } }],
): "go on" | "wrap up" | "stop" {
  const { stop, wrapUp } = run.beforeTurn();
  if (stop !== undefined) return "stop";
  for (const input of events) run.record(input);
  return wrapUp ? "wrap up" : "go on";
}

describe("the limit of turns", () => {
  it("the turn limit allows that many turns, one closing turn without tools, and no more", () => {
    const { run, of } = limited({ turns: 3, soft: 1 });
    expect(Array.from({ length: 6 }, () => turn(run))).toEqual(["go on", "go on", "go on", "wrap up", "stop", "stop"]);
    expect(of("stop.requested")).toMatchObject([
      {
        by: "budget",
        reason: "turn_limit",
        how: "wrap-up",
        applied: true,
        text:
          "The limit of turns for this run is reached. Use no more tools. " +
          "Say what is done, what is not, and what should happen next.",
      },
    ]);
    run.end();
    expect(run.outcome).toMatchObject({ reason: "turn_limit", verified: false });
  });

  it("the turn limit with another way to stop gives no closing turn", () => {
    const { run } = limited({ turns: 2, how: "halt", soft: 1 });
    expect(Array.from({ length: 4 }, () => turn(run))).toEqual(["go on", "go on", "stop", "stop"]);
  });

  it.each([
    { mode: "observe", applied: false },
    { mode: "nudge", applied: true },
    { mode: "gate", applied: true },
  ] as const)("the turn limit is applied in mode $mode: $applied", ({ mode, applied }) => {
    const { run, of } = limited({ turns: 1, soft: 1 }, mode);
    turn(run);
    turn(run);
    expect(of("stop.requested").map((event) => event.applied)).toEqual([applied]);
  });
});

describe("limits that are used up", () => {
  it.each([
    { what: "tokens below", options: { tokens: 100 }, input: usage(60, 39), reason: undefined },
    { what: "tokens at", options: { tokens: 100 }, input: usage(60, 40), reason: "token_limit" },
    { what: "tokens above", options: { tokens: 100 }, input: usage(500), reason: "token_limit" },
    {
      what: "cost below",
      options: { cost: 2 },
      input: { type: "model.answered", usage: { inputTokens: 1, cost: 1.99 } },
      reason: undefined,
    },
    {
      what: "cost at",
      options: { cost: 2 },
      input: { type: "model.answered", usage: { inputTokens: 1, cost: 2 } },
      reason: "cost_limit",
    },
    {
      what: "time below",
      options: { timeMs: 500 },
      input: { type: "tool.finished", tool: "Bash", outcome: "ok", at: 1499 },
      reason: undefined,
    },
    {
      what: "time at",
      options: { timeMs: 500 },
      input: { type: "tool.finished", tool: "Bash", outcome: "ok", at: 1500 },
      reason: "archive_timeout",
    },
    {
      what: "a child's tokens at",
      options: { tokens: 100 },
      input: { type: "child.progressed", child: "c", usage: { inputTokens: 100 } },
      reason: "token_limit",
    },
    { what: "no tokens used, at", options: { tokens: 0 }, input: usage(0), reason: "token_limit" },
  ] as const)("budget with $what the limit stops with $reason", ({ options, input, reason }) => {
    const { run, of } = limited(options);
    run.record(input);
    expect(of("stop.requested").map((event) => event.reason)).toEqual(reason === undefined ? [] : [reason]);
  });

  it("a used-up limit stops after the results of the turn, with the next turn as the closing one", () => {
    const { run } = limited({ tokens: 100, soft: 1 });
    expect(turn(run, [usage(100), { type: "tool.requested", tool: "Read", call: "c" }])).toBe("go on");
    expect(run.beforeTool({ tool: "Read" })).toMatchObject({ allow: true });
    expect(turn(run)).toBe("wrap up");
    expect(turn(run)).toBe("stop");
  });

  it("a used-up limit is recorded once", () => {
    const { run, of } = limited({ tokens: 100, cost: 1 });
    for (let n = 0; n < 3; n += 1) run.record({ type: "model.answered", usage: { inputTokens: 200, cost: 5 } });
    expect(of("stop.requested")).toHaveLength(1);
  });

  it("a limit that is not set does not exist, and an infinite limit is none", () => {
    for (const options of [{}, { turns: Infinity, tokens: Infinity, timeMs: Infinity, cost: Infinity }]) {
      const { run, of } = limited(options);
      for (let n = 0; n < 30; n += 1) turn(run, [usage(1e9)]);
      expect(of("stop.requested")).toEqual([]);
      expect(of("nudge.sent")).toEqual([]);
      expect(run.view.limits).toEqual({});
      expect(run.wakeAt).toBeUndefined();
    }
  });

  it.each([
    [{ turns: -1 }, "turns"],
    [{ tokens: Number.NaN }, "tokens"],
    [{ timeMs: "1h" as never }, "timeMs"],
  ])("%j is a wrong option and throws", (options, path) => {
    expect(() => limited(options)).toThrow(`The option "${path}" is wrong`);
  });
});

describe("time", () => {
  it("the time limit wakes the host when it is up, and that tick stops the run", () => {
    const { run, of } = limited({ timeMs: 500 });
    expect(run.wakeAt).toBe(1500);
    run.record({ type: "turn.started", at: 1200 });
    expect(run.wakeAt).toBe(1500);
    expect(run.tick(1499)).toBe(false);
    expect(run.tick(1500)).toBe(true);
    expect(of("stop.requested")).toMatchObject([{ reason: "archive_timeout" }]);
    expect(run.wakeAt).toBeUndefined();
  });

  it("suspended time is not charged, nor the gap before a resume", () => {
    const { run } = limited({ timeMs: 500 });
    run.record({ type: "turn.started", at: 1100 });
    run.suspend();
    run.record({ type: "move.requested", do: "resume", by: "user", at: 9000 });
    expect(run.view.activeMs).toBe(100);
    expect(run.wakeAt).toBe(9400);
    run.end({ reason: "interrupted" });
    run.record({ type: "run.resumed", attempt: 2, at: 20_000 });
    expect(run.view.activeMs).toBe(100);
    expect(run.wakeAt).toBe(20_400);
  });
});

describe("usage that the host does not report", () => {
  it("missing usage raises an alert when tokens are limited, and never counts as zero", () => {
    const { run, of } = limited({ tokens: 100 });
    run.record({ type: "model.answered" });
    run.record({ type: "model.answered", usage: { cost: 1 } });
    expect(run.view.usage).toMatchObject({ modelCalls: 2, unknownCalls: 2, inputTokens: 0, cost: 1 });
    expect(of("alert.raised")).toMatchObject([{ kind: "usage-unknown", severity: "notice", count: 1 }]);
    expect(of("stop.requested")).toEqual([]);
  });

  it("missing usage raises no alert without a token limit, nor when one side is known", () => {
    const { run, of } = limited({ turns: 5 });
    run.record({ type: "model.answered" });
    expect(of("alert.raised")).toEqual([]);
    const half = limited({ tokens: 100 });
    half.run.record({ type: "model.answered", usage: { outputTokens: 3 } });
    expect(half.run.view.usage).toMatchObject({ unknownCalls: 0, outputTokens: 3 });
    expect(half.of("alert.raised")).toEqual([]);
  });

  it("estimated usage counts, and is counted as estimated", () => {
    const { run, of } = limited({ tokens: 100 });
    run.record({ type: "model.answered", usage: { inputTokens: 100, estimated: true } });
    expect(run.view.usage).toMatchObject({ estimatedCalls: 1, unknownCalls: 0, inputTokens: 100 });
    expect(of("stop.requested")).toHaveLength(1);
  });

  it("every kind of token is added up", () => {
    const { run } = limited({});
    for (let n = 0; n < 2; n += 1)
      run.record({
        type: "model.answered",
        usage: {
          inputTokens: 1,
          outputTokens: 2,
          cachedInputTokens: 3,
          cacheWriteTokens: 4,
          reasoningTokens: 5,
          cost: 6,
        },
      });
    expect(run.view.usage).toEqual({
      chargedTokens: 10,
      modelCalls: 2,
      unknownCalls: 0,
      estimatedCalls: 0,
      unpricedCalls: 0,
      inputTokens: 2,
      outputTokens: 4,
      cachedInputTokens: 6,
      cacheWriteTokens: 8,
      reasoningTokens: 10,
      cost: 12,
    });
  });
});

describe("the warning", () => {
  const told = (options: BudgetOptions, inputTokens: number, events: readonly NewEvent[] = []): string | undefined => {
    const { run } = limited(options);
    for (const input of events) run.record(input);
    run.record(usage(inputTokens));
    return run.beforeTurn().nudges[0]?.text;
  };
  const edit: NewEvent = { type: "tool.finished", tool: "Edit", outcome: "ok", meaning: { mutates: true } };
  const tests = (verdict: "pass" | "fail" | "unknown"): NewEvent => ({
    type: "tool.finished",
    tool: "Bash",
    outcome: "ok",
    meaning: { tests: { verdict } },
  });

  it.each([
    { used: 79, text: undefined },
    { used: 80, text: "20 % of the tokens are left. Finish what matters most, check it, and say what remains." },
    { used: 95, text: "5 % of the tokens are left. Finish what matters most, check it, and say what remains." },
  ])("the warning depends on the share of tokens used: $used %", ({ used, text }) => {
    expect(told({ tokens: 100 }, used)).toBe(text);
  });

  it.each([
    { soft: 0.5, used: 49, speaks: false },
    { soft: 0.5, used: 50, speaks: true },
    { soft: 1, used: 99, speaks: false },
    { soft: 0, used: 0, speaks: true },
  ])("the warning with a soft share of $soft at $used %, sent: $speaks", ({ soft, used, speaks }) => {
    expect(told({ tokens: 100, soft }, used) !== undefined).toBe(speaks);
  });

  it.each([
    { what: "changes unchecked", events: [edit], used: 80, checks: true },
    { what: "changes unchecked, more than the reserve left", events: [edit], used: 79, checks: false },
    { what: "nothing changed", events: [], used: 90, checks: false },
    { what: "changes checked, though the tests fail", events: [edit, tests("fail")], used: 90, checks: false },
    { what: "tests that said nothing", events: [edit, tests("unknown")], used: 90, checks: true },
    { what: "changes after the tests", events: [edit, tests("pass"), edit], used: 90, checks: true },
    { what: "a change that failed", events: [{ ...edit, outcome: "error" }], used: 90, checks: false },
  ] as const)("the warning of the reserve with $what at $used %: $checks", ({ events, used, checks }) => {
    const text = told({ tokens: 100, soft: 1 }, used, events);
    expect(text).toBe(
      checks
        ? `${String(100 - used)} % of the tokens are left and your changes are not checked. ` +
            "Run the tests now; change nothing more before you know."
        : undefined,
    );
  });

  it("the warning is sent once for each limit, and names the first that is short", () => {
    const { run, of } = limited({ turns: 10, tokens: 100 });
    for (let n = 0; n < 10; n += 1) turn(run, [usage(9)]);
    expect(of("nudge.sent").map(({ episode, turn: at }) => [episode, at])).toEqual([["soft:turns", 8]]);
    const timed = limited({ timeMs: 1000, cost: 10, soft: 0.5 });
    timed.run.record({ type: "model.answered", usage: { inputTokens: 1, cost: 6 }, at: 1600 });
    expect(timed.run.beforeTurn().nudges[0]?.text).toBe(
      "40 % of the time are left. Finish what matters most, check it, and say what remains.",
    );
    const money = limited({ cost: 10, soft: 0.5 });
    money.run.record({ type: "model.answered", usage: { inputTokens: 1, cost: 6 } });
    expect(money.run.beforeTurn().nudges[0]?.text).toMatch(/^40 % of the money /);
  });

  it("the warning is not sent when the limit is already reached", () => {
    expect(told({ tokens: 100 }, 100)).toBeUndefined();
  });
});

describe("children", () => {
  it("children spend from their parent, and are bound by what it has left", () => {
    const { run, of } = limited({ tokens: 100, timeMs: 10_000, soft: 1 });
    run.record(usage(40));
    const child = run.child({ id: "child", policies: [budget({ tokens: 1000, turns: 50 })] });
    expect(child.view.limits).toEqual({ turns: 50, tokens: 60, timeMs: 10_000 });
    child.beforeTurn();
    child.record(usage(60));
    expect(child.view.stopped?.reason).toBe("token_limit");
    child.end();
    expect(of("child.progressed")).toMatchObject([{ child: "child", usage: { inputTokens: 60 } }]);
    expect(run.view.stopped?.reason).toBe("token_limit");
    expect(run.view.usage.inputTokens).toBe(100);
  });

  it("children without a budget are bound by the rest of their parent's", () => {
    const { run } = limited({ tokens: 100 });
    run.record(usage(70));
    const child = run.child({ id: "child" });
    expect(child.view.limits).toEqual({ tokens: 30 });
    child.record(usage(30));
    expect(child.view.stopped?.reason).toBe("token_limit");
  });

  it("children do not share turns, and have no limit when the parent has none", () => {
    const { run } = limited({ turns: 2 });
    expect(run.child({ id: "child" }).view.limits).toEqual({});
  });

  it("children of a parent that has nothing left cannot spend anything", () => {
    const { run } = limited({ tokens: 100 });
    run.record(usage(100));
    const child = run.child({ id: "child" });
    expect(child.beforeTurn().stop).toMatchObject({ reason: "parent_ended" });
  });
});

describe("left and spent", () => {
  it.each([
    { limit: "turns", all: 10, used: 1, rest: 9 },
    { limit: "tokens", all: 100, used: 30, rest: 70 },
    { limit: "timeMs", all: 500, used: 200, rest: 300 },
    { limit: "cost", all: 4, used: 1.5, rest: 2.5 },
  ] as const)("the rest of $limit: $used of $all, $rest left", ({ limit, all, used, rest }) => {
    const { run } = limited({ [limit]: all });
    run.record({ type: "model.answered", usage: { inputTokens: 20, outputTokens: 10, cost: 1.5 }, at: 1200 });
    expect(spentBudget(run.view, limit)).toBe(used);
    expect(remainingBudget(run.view, limit)).toBe(rest);
  });

  it("the rest is never less than nothing, and unknown without a limit", () => {
    const { run } = limited({ tokens: 10 });
    run.record(usage(500));
    expect(remainingBudget(run.view, "tokens")).toBe(0);
    expect(remainingBudget(run.view, "cost")).toBeUndefined();
  });
});

// From shared/cases/seed_cases.json (attocode, budget.*).
describe("seed cases budget", () => {
  it("strict mode stops past the token cap", () => {
    const { run } = limited({ tokens: 50_000 }, "gate");
    run.record(usage(50_001, 1000));
    expect(run.view.stopped).toMatchObject({ reason: "token_limit" });
  });

  it("reaching the cap allows one text-only closing turn", () => {
    const { run } = limited({ turns: 3, soft: 1 });
    for (const path of ["a.ts", "b.ts", "c.ts"])
      turn(run, [{ type: "tool.finished", tool: "read_file", input: { path }, outcome: "ok" }]);
    const { stop, wrapUp } = run.beforeTurn();
    expect({
      canContinue: stop === undefined,
      textOnly: wrapUp && !run.beforeTool({ tool: "read_file" }).allow,
    }).toEqual({ canContinue: true, textOnly: true });
    expect(run.beforeTurn().stop).toBeDefined();
  });

  it("paused time is not charged to the run", () => {
    const { run, clock } = limited({});
    clock.advance(100);
    run.suspend();
    clock.advance(500);
    run.resume();
    clock.advance(100);
    run.record({ type: "turn.started" });
    expect(run.view.activeMs).toBe(200);
  });
});

describePolicy(() => budget({ turns: 4, tokens: 500, timeMs: 60_000, cost: 3 }), {
  describe,
  it,
  events: [
    { type: "turn.started" },
    usage(100),
    { type: "tool.finished", tool: "Edit", outcome: "ok", meaning: { mutates: true } },
    { type: "turn.started" },
    { type: "model.answered" },
    usage(200),
    { type: "turn.started" },
    { type: "child.progressed", child: "c", usage: { inputTokens: 250 } },
    { type: "turn.started" },
    { type: "clock.ticked" },
    { type: "turn.started" },
  ],
});

it.each([{ turns: "5" }, { tokens: NaN }, { timeMs: -1 }, { cost: null }])(
  "%o is not a limit, and budget says so",
  (limits) => {
    expect(() => budget(limits as never)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
  },
);

describe("the reserve for checking", () => {
  const told = (events: readonly NewEvent[], options: BudgetOptions = { turns: 10, soft: 1 }, turns = 10) => {
    const { run, of } = loggedRun({ policies: [budget(options)], nudges: { cooldownTurns: 0 } });
    for (const input of events) run.record(input);
    for (let n = 0; n < turns; n += 1) turn(run);
    return of("nudge.sent").map(({ turn: at, episode, topic, text }) => ({
      at,
      episode,
      topic,
      checks: text.includes("not checked"),
    }));
  };
  const edit: NewEvent = { type: "tool.finished", tool: "Edit", outcome: "ok" };

  it("the reserve nudges once, as soon as no more than the reserve is left", () => {
    // The edit has a turn of its own: with the eighth turn two of ten are left.
    expect(told([edit])).toEqual([{ at: 8, episode: "reserve:turns", topic: "budget", checks: true }]);
  });

  it.each<{ readonly what: string; readonly events: readonly NewEvent[] }>([
    { what: "nothing was done", events: [] },
    { what: "something was only read", events: [{ type: "tool.finished", tool: "Read", outcome: "ok" }] },
    { what: "the change failed", events: [{ ...edit, outcome: "error" }] },
    {
      what: "it was tested since",
      events: [edit, { type: "tool.finished", tool: "Bash", outcome: "ok", meaning: { tests: { verdict: "fail" } } }],
    },
  ])("the reserve does not nudge when $what", ({ events }) => {
    expect(told(events)).toEqual([]);
  });

  it("the reserve comes before the general warning, which has its own episode; soft 1 turns that one off", () => {
    expect(told([edit], { turns: 10, reserve: 0.1 }).map(({ at, episode }) => [at, episode])).toEqual([
      [8, "soft:turns"],
      [9, "reserve:turns"],
    ]);
    expect(told([], { turns: 10, soft: 1 }, 10)).toEqual([]);
  });
});
