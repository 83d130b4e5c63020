import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { review } from "../policies/decision.ts";
import { definePolicy } from "../policies/policy.ts";
import { createRun } from "../run/run.ts";
import { type Reviewer, type ReviewVerdict, answerReview } from "./answer-review.ts";
import { costOf, pricedRun, pricesFrom } from "./prices.ts";
import { createSharedBudget } from "./shared-budget.ts";

const price = { input: 2, output: 10, cachedInput: 0.2 };

describe("costOf", () => {
  it.each([
    {
      what: "fresh, cached and output tokens",
      usage: { inputTokens: 1000, cachedInputTokens: 600, outputTokens: 100 },
      given: price,
      cost: 0.00192,
    },
    { what: "an unknown model", usage: { inputTokens: 1000, outputTokens: 100 }, given: undefined, cost: undefined },
    { what: "unknown usage", usage: undefined, given: price, cost: undefined },
    { what: "unknown output", usage: { inputTokens: 1000 }, given: price, cost: undefined },
    {
      what: "a call at the limit of a tier",
      usage: { inputTokens: 200_000, outputTokens: 0 },
      given: { ...price, tiers: [{ overTokens: 200_000, input: 4, output: 15 }] },
      cost: 0.4,
    },
    {
      what: "a call over the limits of two tiers",
      usage: { inputTokens: 300_000, outputTokens: 1000 },
      given: {
        ...price,
        tiers: [
          { overTokens: 200_000, input: 4, output: 15 },
          { overTokens: 100_000, input: 3, output: 12 },
        ],
      },
      cost: 1.215,
    },
  ])("$what costs $cost", ({ usage, given, cost }) => {
    const found = costOf(usage, given);
    if (cost === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(cost);
  });
});

describe("pricedRun", () => {
  it("adds the cost of calls whose provider reports none, and leaves the others unknown", () => {
    const { run, of } = loggedRun();
    const priced = pricedRun(run, { "m-1": price });
    priced.record({ type: "model.answered", model: "m-1", usage: { inputTokens: 1000, outputTokens: 0 } });
    priced.record({ type: "model.answered", model: "m-1", usage: { inputTokens: 1000, outputTokens: 0, cost: 7 } });
    priced.record({ type: "model.answered", model: "other", usage: { inputTokens: 1000, outputTokens: 0 } });
    expect(of("model.answered").map(({ usage }) => usage?.cost)).toEqual([0.002, 7, undefined]);
    expect(run.view.usage).toMatchObject({ cost: 7.002, unpricedCalls: 1 });
  });

  it("prices the calls of sub-agents too, and a call without a price leaves the parent's cost unknown", () => {
    const { run } = loggedRun();
    const child = pricedRun(run, { "m-1": price, free: { input: 0, output: 0 } }).child();
    const answer = (model: string): void => {
      child.beforeTurn();
      child.record({ type: "model.answered", model, usage: { inputTokens: 1000, outputTokens: 0 } });
    };
    answer("m-1");
    answer("free");
    child.beforeTurn();
    expect(run.view.usage).toMatchObject({ cost: 0.002, unpricedCalls: 0 });
    answer("other");
    child.end();
    expect(run.view.usage).toMatchObject({ cost: 0.002, unpricedCalls: 1 });
  });

  it("takes prices in the form of models.dev", () => {
    const cost = { input: 2, output: 10, cache_read: 0.2 };
    expect(pricesFrom({ id: "p", models: { "m-1": { cost }, "m-2": { cost: { input: 1 } }, "m-3": {} } })).toEqual({
      "m-1": price,
    });
    expect(pricesFrom(undefined)).toEqual({});
  });

  it("takes the tiers of LiteLLM", () => {
    const table = pricesFrom({
      "m-1": {
        input_cost_per_token: 2e-6,
        output_cost_per_token: 1e-5,
        input_cost_per_token_above_200k_tokens: 4e-6,
        output_cost_per_token_above_200k_tokens: 2e-5,
        input_cost_per_token_above_500k_tokens: 9e-6,
      },
    });
    expect(table["m-1"]?.tiers).toEqual([{ overTokens: 200_000, input: 4, output: 20 }]);
  });

  it.each([
    [{ input: -1, output: 10 }, '"input" of "m" is -1'],
    [{ input: 1, output: Infinity }, '"output" of "m" is Infinity'],
    [{ input: NaN, output: 10 }, '"input" of "m" is NaN'],
    [{ input: 1, output: 1e300 }, '"output" of "m" is 1e+300'],
    [{ input: "1", output: 10 }, '"input" of "m" is a string'],
    [{ input: 1, output: 10, tiers: [{ overTokens: 5e6, input: -2, output: 1 }] }, '"input" of "m" is -2'],
  ])("pricedRun refuses %j", (wrong, problem) => {
    const message = `The option "prices" is wrong: ${problem}, not a price between 0 and 1,000,000 per million tokens.`;
    expect(() => pricedRun(createRun(), { m: wrong as never })).toThrow(message);
  });

  it("a cost that is not a number one can pay is unknown", () => {
    expect(costOf({ inputTokens: 1e308, outputTokens: 1 }, { input: 1e6, output: 1 })).toBeUndefined();
    expect(costOf({ inputTokens: 1, outputTokens: 1 }, { input: -5, output: 1 })).toBeUndefined();
    expect(costOf({ inputTokens: 0, outputTokens: 0 }, { input: 5, output: 1 })).toBe(0);
  });

  it("takes prices in the form of LiteLLM", () => {
    const table = pricesFrom({
      "m-1": { input_cost_per_token: 2e-6, output_cost_per_token: 1e-5, cache_read_input_token_cost: 2e-7 },
      sample_spec: { max_tokens: "words" },
    });
    expect(Object.keys(table)).toEqual(["m-1"]);
    expect(table["m-1"]).toEqual({ input: 2, output: 10, cachedInput: expect.closeTo(0.2) as number });
  });
});

describe("createSharedBudget", () => {
  it("stops every attached run when their sum is used up", () => {
    const team = createSharedBudget("team", { tokens: 100 });
    const [one, two, other] = [createRun(), createRun(), createRun()];
    team.attach(one);
    const leave = team.attach(other);
    team.attach(two);
    leave();
    one.record({ type: "model.answered", usage: { inputTokens: 60, outputTokens: 0 } });
    other.record({ type: "model.answered", usage: { inputTokens: 900, outputTokens: 0 } });
    expect(team.remaining("tokens")).toBe(40);
    expect(one.view.stopped).toBeUndefined();
    two.record({ type: "model.answered", usage: { inputTokens: 40, outputTokens: 5 } });
    expect(team.spent("tokens")).toBe(105);
    for (const run of [one, two])
      expect(run.view.stopped).toMatchObject({ reason: "token_limit", by: "budget team", how: "halt" });
    expect(other.view.stopped).toBeUndefined();
  });

  it("counts the calls it knows nothing of", () => {
    const team = createSharedBudget("team", { tokens: 100, cost: 1 });
    const [one, two] = [createRun(), createRun()];
    one.record({ type: "model.answered" });
    for (const run of [one, two]) team.attach(run);
    one.record({ type: "model.answered", usage: { inputTokens: 10, outputTokens: 1 } });
    two.record({ type: "model.answered" });
    expect(team.spent("tokens")).toBe(11);
    expect([team.unknown("tokens"), team.unknown("cost"), team.unknown("turns")]).toEqual([1, 2, 0]);
  });

  it("can be extended before it is used up", () => {
    const team = createSharedBudget("team", { turns: 2 });
    const run = createRun();
    team.attach(run);
    run.beforeTurn();
    team.extend({ turns: 5 });
    run.record({ type: "model.answered" });
    run.beforeTurn();
    expect(run.view.stopped).toBeUndefined();
    expect(team.remaining("turns")).toBe(5);
  });
});

describe("answerReview", () => {
  const asking = definePolicy({
    name: "asking",
    decide: { "turn.started": ({ turn }) => (turn === 1 ? review({ kind: "plan", text: "Is it good?" }) : undefined) },
  });
  const answers = (...given: readonly unknown[]): Reviewer & { asked: number } => {
    const reviewer = Object.assign(
      () => {
        reviewer.asked += 1;
        return given[reviewer.asked - 1] as ReviewVerdict;
      },
      { asked: 0 },
    );
    return reviewer;
  };

  it("brings the answer to the turn that asked", async () => {
    const { run, of } = loggedRun({ policies: [asking] });
    const turn = await answerReview(run, run.beforeTurn(), answers({ verdict: "approve", feedback: "Yes." }));
    expect(turn).toMatchObject({ turn: 1, review: undefined });
    expect(of("review.finished")).toMatchObject([{ verdict: "approve", feedback: "Yes.", waited: true }]);
  });

  it.each([
    { what: "known at once", given: [{ verdict: "reject" }], asked: 1, verdict: "reject", fallback: undefined },
    {
      what: "known when asked again",
      given: [{ verdict: "LGTM" }, { verdict: "approve" }],
      asked: 2,
      verdict: "approve",
    },
    {
      what: "never known",
      given: [{ verdict: "LGTM" }, undefined],
      asked: 2,
      verdict: "needs-changes",
      fallback: true,
    },
  ])("a verdict $what: $verdict", async ({ given, asked, verdict, fallback }) => {
    const { run, of } = loggedRun({ policies: [asking] });
    const reviewer = answers(...given);
    await answerReview(run, run.beforeTurn(), reviewer);
    expect(reviewer.asked).toBe(asked);
    expect(of("review.finished")).toMatchObject([{ verdict, ...(fallback !== undefined && { fallback }) }]);
  });
});
