import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { answerReview, type Reviewer } from "../adapter/answer-review.ts";
import { grantUpTo } from "../adapter/grant-up-to.ts";
import type { NewEvent } from "../events/run-event.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import type { RunPort } from "../run/run.ts";
import { remainingBudget } from "../view/run-view.ts";
import { describePolicy } from "../testing.ts";
import { budget, type BudgetOptions } from "./budget.ts";

const usage = (inputTokens: number, cachedInputTokens = 0): NewEvent => ({
  type: "model.answered",
  usage: { inputTokens, outputTokens: 0, ...(cachedInputTokens > 0 && { cachedInputTokens }) },
});
const limited = (options: BudgetOptions) => loggedRun({ policies: [budget(options)] });
const approve: Reviewer = () => ({ verdict: "approve" });

/** One turn with a reviewer that uses so many tokens; how it went on. */
async function turn(run: RunPort, tokens: number, reviewer?: Reviewer): Promise<"continues" | "wraps up" | "stops"> {
  const { stop, wrapUp } = await answerReview(run, run.beforeTurn(), reviewer);
  if (stop !== undefined) return "stops";
  run.record(usage(tokens));
  return wrapUp ? "wraps up" : "continues";
}

describePolicy(() => budget({ tokens: 100, extend: { at: "soft" } }), {
  describe,
  it,
  events: [
    { type: "turn.started" },
    usage(90),
    { type: "turn.started" },
    { type: "budget.granted", limit: "tokens", amount: 50, by: "user" },
    usage(60),
    { type: "turn.started" },
    { type: "budget.requested", limit: "tokens", amount: 10, by: "agent", why: "one more test" },
    { type: "turn.started" },
    { type: "budget.denied", limit: "tokens", by: "user" },
    { type: "turn.started" },
  ],
});

describe("budget({ extend })", () => {
  it("asks at the limit before the run stops, and a grant lets it continue", async () => {
    const { run, of } = limited({ tokens: 100, soft: 1, extend: { times: 1 } });
    expect(await turn(run, 100, approve)).toBe("continues");
    expect(await turn(run, 10, approve)).toBe("continues");
    expect(of("review.requested")).toMatchObject([
      {
        kind: "budget-extension",
        data: { limit: "tokens", amount: 50 },
        text: "The run used 100 tokens of 100 tokens and wants 50 tokens more.",
      },
    ]);
    expect(of("budget.granted")).toMatchObject([{ limit: "tokens", amount: 50, by: "judge" }]);
    expect(run.view.limits.tokens).toBe(150);
    // One extension only: the next time the run stops.
    expect(await turn(run, 40, approve)).toBe("continues");
    expect(await turn(run, 1, approve)).toBe("wraps up");
  });

  it("stops if the extension is denied: the turn that asked is the closing one", async () => {
    const { run, of } = limited({ tokens: 100, soft: 1, extend: {} });
    await turn(run, 100);
    expect(await turn(run, 1, () => ({ verdict: "reject", feedback: "Enough." }))).toBe("wraps up");
    expect(of("budget.denied")).toMatchObject([{ limit: "tokens", why: "Enough." }]);
    expect(await turn(run, 1)).toBe("stops");
    run.end();
    expect(run.outcome?.reason).toBe("token_limit");
  });

  it("stops one turn after a question without an answer", async () => {
    const { run } = limited({ tokens: 100, soft: 1, extend: {} });
    expect([await turn(run, 100), await turn(run, 10), await turn(run, 10), await turn(run, 10)]).toEqual([
      "continues",
      "continues",
      "wraps up",
      "stops",
    ]);
  });

  it("asks at the soft share before it nudges, and nudges if it is denied", async () => {
    const { run, of } = limited({ tokens: 100, extend: { at: "soft", amount: { tokens: 400 } } });
    await turn(run, 85);
    await turn(run, 1, () => ({ verdict: "reject" }));
    expect(of("nudge.sent")).toEqual([]);
    await turn(run, 1);
    expect(of("nudge.sent").map(({ text }) => text)).toEqual([
      "14 % of the tokens are left. Finish what matters most, check it, and say what remains.",
    ]);
    const other = limited({ tokens: 100, extend: { at: "soft", amount: { tokens: 400 } } });
    await turn(other.run, 85);
    await turn(other.run, 1, approve);
    await turn(other.run, 1, approve);
    expect(other.of("nudge.sent")).toEqual([]);
    expect(remainingBudget(other.run.view, "tokens")).toBe(413);
  });

  it("passes on a request of the agent at the next turn", async () => {
    const { run, of } = limited({ tokens: 100, soft: 1 });
    run.record({ type: "budget.requested", limit: "tokens", amount: 30, by: "agent", why: "one more file" });
    await turn(run, 10, approve);
    expect(of("review.requested").map(({ text }) => text)).toEqual([
      "The run used 0 tokens of 100 tokens and wants 30 tokens more. Why: one more file",
    ]);
    expect(run.view.limits.tokens).toBe(130);
  });

  it("takes a grant of a person at any time, also after the stop, and none of the agent", () => {
    const { run } = limited({ tokens: 100, soft: 1 });
    run.record(usage(100));
    expect(run.view.stopped?.reason).toBe("token_limit");
    run.record({ type: "budget.granted", limit: "tokens", amount: 900, by: "agent" });
    expect(run.view.limits.tokens).toBe(100);
    run.record({ type: "budget.granted", limit: "tokens", amount: 50, by: "user", why: "worth it" });
    expect(run.view.stopped).toBeUndefined();
    expect(run.beforeTurn()).toMatchObject({ wrapUp: false, stop: undefined });
    run.record(usage(60));
    expect(run.view.stopped?.reason).toBe("token_limit");
  });

  it.each([0, -5, Number.NaN])("an approval of %d is a denial", async (grant) => {
    const { run, of } = limited({ tokens: 100, soft: 1, extend: {} });
    for (let n = 0; n < 3; n += 1) await turn(run, 100, () => ({ verdict: "approve", grant }));
    expect(of("budget.granted")).toEqual([]);
    expect(of("budget.denied")).toHaveLength(1);
    expect(run.view.stopped?.reason).toBe("token_limit");
  });

  it("grantUpTo grants until its amounts are used up", async () => {
    const { run, of } = limited({ tokens: 100, soft: 1, extend: { times: 9, amount: { tokens: 60 } } });
    const reviewer = grantUpTo({ tokens: 100 });
    for (let n = 0; n < 6; n += 1) await turn(run, 100, reviewer);
    expect(of("budget.granted").map(({ amount, by }) => [amount, by])).toEqual([
      [60, "policy"],
      [40, "policy"],
    ]);
    expect(of("budget.denied")).toHaveLength(1);
  });
});

describe("tokens as a budget counts them", () => {
  it.each([
    { what: "all of them", options: {}, calls: [[100, 80]], spent: 100 },
    { what: "cached input by its weight", options: { cachedWeight: 0.1 }, calls: [[100, 80]], spent: 28 },
    { what: "cached input not at all", options: { cachedWeight: 0 }, calls: [[100, 80]], spent: 20 },
    {
      what: "without the baseline of every call",
      options: { baseline: 30 },
      calls: [
        [100, 0],
        [110, 0],
      ],
      spent: 150,
    },
    {
      what: "a cached baseline once",
      options: { baseline: 30, cachedWeight: 0.5 },
      calls: [[100, 50]],
      spent: 60,
    },
    {
      what: "the baseline of a call from its own cached input",
      options: { baseline: 30, cachedWeight: 0.1 },
      calls: [
        [50, 0],
        [60, 50],
      ],
      spent: 32,
    },
    {
      what: "a small call does not pay for the baseline of another",
      options: { baseline: 30 },
      calls: [
        [100, 0],
        [5, 0],
      ],
      spent: 70,
    },
    {
      what: "what the context grew by",
      options: { repeatedWeight: 0 },
      calls: [
        [100, 0],
        [110, 90],
        [40, 0],
        [60, 0],
      ],
      spent: 130,
    },
    {
      what: "repeated input by its weight, beside a baseline",
      options: { repeatedWeight: 0.5, baseline: 30 },
      calls: [
        [100, 0],
        [110, 0],
      ],
      spent: 115,
    },
    { what: "never less than nothing", options: { baseline: 500 }, calls: [[100, 0]], spent: 0 },
  ] as const)("$what: $spent", ({ options, calls, spent }) => {
    const { run } = limited({ tokens: 1000, ...options });
    for (const [input, cached] of calls) run.record(usage(input, cached));
    expect(1000 - (remainingBudget(run.view, "tokens") ?? 0)).toBeCloseTo(spent);
  });

  it("a call without known usage does not lower what the others are charged", () => {
    const { run } = limited({ tokens: 1000, baseline: 30 });
    run.record(usage(100));
    run.record({ type: "model.answered" });
    expect(remainingBudget(run.view, "tokens")).toBe(930);
  });

  it("a child inherits what is left, counted in the same way", () => {
    const { run } = limited({ tokens: 1000, cachedWeight: 0 });
    run.record(usage(900, 800));
    const child = run.child();
    expect(child.view.limits).toMatchObject({ tokens: 900, cachedWeight: 0 });
  });

  it.each([{ closeAt: 1.5 }, { soft: -1 }, { cachedWeight: -1 }, { baseline: Number.NaN }])("refuses %j", (options) => {
    expect(() => budget({ tokens: 1, ...options })).toThrow(/is not a/);
  });
});

describe("the end of a budget", () => {
  it("closeAt stops at a share of the limit", () => {
    const { run } = limited({ tokens: 100, soft: 1, closeAt: 0.9 });
    run.record(usage(89));
    expect(run.view.stopped).toBeUndefined();
    run.record(usage(1));
    expect(run.view.stopped).toMatchObject({ reason: "token_limit", how: "wrap-up" });
  });

  it("a cost limit without known costs raises an alert instead of counting 0", () => {
    const { run } = limited({ cost: 1 });
    run.record(usage(100));
    expect([...run.view.alerts.values()]).toMatchObject([{ kind: "cost-unknown", count: 1 }]);
    expect(run.view.usage.unpricedCalls).toBe(1);
  });

  const graph = definePhaseGraph({
    initial: "plan",
    phases: { plan: { next: ["act"], share: 0.2 }, act: { next: ["plan"], final: true } },
  });

  it("a share counts tokens as the limit does, and money too", () => {
    const { run, of } = loggedRun({ graph, policies: [budget({ tokens: 1000, cachedWeight: 0.1, cost: 1 })] });
    run.record(usage(900, 900));
    run.beforeTurn();
    expect(of("nudge.sent")).toEqual([]);
    run.record({ type: "model.answered", usage: { inputTokens: 1, outputTokens: 0, cost: 0.21 } });
    run.beforeTurn();
    expect(of("nudge.sent").map(({ text }) => text)).toEqual([
      "The phase has used its share: 20 % of the money. Finish it with what you have and move on.",
    ]);
  });

  it("a phase that uses more than its share gets a nudge, over all its entries", () => {
    const { run, of } = loggedRun({ graph, policies: [budget({ tokens: 1000 })] });
    run.beforeTurn();
    run.record(usage(150));
    run.beforeTurn();
    expect(of("nudge.sent")).toEqual([]);
    run.transition("act");
    run.record(usage(300));
    run.beforeTurn();
    run.transition("plan");
    run.record(usage(60));
    run.beforeTurn();
    expect(of("nudge.sent").map(({ text }) => text)).toEqual([
      "The phase has used its share: 20 % of the tokens. Finish it with what you have and move on.",
    ]);
  });
});
