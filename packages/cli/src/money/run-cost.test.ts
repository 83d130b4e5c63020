import { createStory, type ModelUse } from "@phasekit/ledger/story";
import { createRun } from "@phasekit/core";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { costCell, costSumText, costText } from "../render/cost-text.ts";
import { loadPrices, plainModel } from "./price-list.ts";
import { runCost, sumCosts } from "./run-cost.ts";

interface Answer {
  readonly model?: string;
  readonly usage?: Readonly<Record<string, number>>;
}

/** Returns the answers of a run, by model. */
function usesOf(answers: readonly Answer[]): readonly ModelUse[] {
  const run = createRun();
  const story = createStory();
  run.subscribe((step) => {
    for (const event of step) story.add(event);
  });
  for (const answer of answers) run.record({ type: "model.answered", ...answer });
  return story.get().models;
}

function pricesIn(content: unknown): ReturnType<typeof loadPrices> {
  const file = join(mkdtempSync(join(tmpdir(), "phasekit-prices-")), "prices.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return loadPrices(file, "/");
}

const prices = pricesIn({ m: { input: 1, output: 10, cachedInput: 0.1, cacheWrite: 2 } });
const million = 1_000_000;

describe("runCost", () => {
  it("prices fresh input, cached input, cache writes and output apart", () => {
    const usage = { inputTokens: 100, outputTokens: 10, cachedInputTokens: 60, cacheWriteTokens: 30 };
    const { usd, from, unpricedCalls } = runCost(usesOf([{ model: "m", usage }]), prices);
    expect((usd ?? 0) * million).toBeCloseTo(10 * 1 + 60 * 0.1 + 30 * 2 + 10 * 10);
    expect({ from, unpricedCalls }).toEqual({ from: "prices", unpricedCalls: 0 });
  });

  it("prices writes to a cache of an hour apart", () => {
    const usage = { inputTokens: 30, outputTokens: 0, cacheWriteTokens: 30, longCacheWriteTokens: 20 };
    const list = pricesIn({ m: { input: 1, output: 10, cacheWrite: 2, longCacheWrite: 3 } });
    expect((runCost(usesOf([{ model: "m", usage }]), list).usd ?? 0) * million).toBeCloseTo(10 * 2 + 20 * 3);
    expect((runCost(usesOf([{ model: "m", usage }]), prices).usd ?? 0) * million).toBeCloseTo(30 * 2);
  });

  it("prefers the cost in the log, and does not take 0 for a cost", () => {
    const logged = { model: "m", usage: { inputTokens: million, outputTokens: 0, cost: 0.5 } };
    const free = { model: "m", usage: { inputTokens: million, outputTokens: 0, cost: 0 } };
    expect(runCost(usesOf([logged]), prices)).toMatchObject({ usd: 0.5, from: "log" });
    expect(runCost(usesOf([logged, free]), prices)).toMatchObject({ usd: 1.5, from: "both" });
  });

  it("does not know the cost of a model without a price, and says so", () => {
    const known = { model: "m", usage: { inputTokens: million, outputTokens: 0 } };
    const other = { model: "unheard-of", usage: { inputTokens: 5, outputTokens: 5 } };
    const unknown = runCost(usesOf([other]), prices);
    expect(unknown.usd).toBeUndefined();
    expect(costCell(unknown)).toBe("?");
    expect(costText(unknown, prices)).toBe("unknown: no price for unheard-of; add one with --prices <file>");
    const part = runCost(usesOf([known, other, { model: "m" }]), prices);
    expect(part).toMatchObject({ usd: 1, unpricedCalls: 2 });
    expect(costCell(part)).toBe("≥ $1.00");
    expect(costText(part, prices)).toBe(
      [
        "≥ $1.00 at prices of prices.json; 1 call without a price (unheard-of)",
        "the log does not tell all tokens of 1 call",
      ].join("; "),
    );
    expect(costCell(runCost([], prices))).toBe("");
    // A bound is rounded down, and "≥ <$0.01" says nothing.
    expect([0.004, 0.57, 1.239].map((usd) => costCell({ usd, unpricedCalls: 1, unknownCalls: 0, models: [] }))).toEqual(
      ["≥ $0.00", "≥ $0.57", "≥ $1.23"],
    );
    expect(costCell({ usd: 0.004, unpricedCalls: 0, unknownCalls: 0, models: [] })).toBe("<$0.01");
    expect(costText(runCost([], prices), prices)).toBeUndefined();
  });

  it("uses the price of long prompts for each call by itself", () => {
    const tiered = pricesIn({ m: { input: 1, output: 1, tiers: [{ overTokens: 200_000, input: 2, output: 3 }] } });
    const call = (inputTokens: number): Answer => ({ model: "m", usage: { inputTokens, outputTokens: million } });
    const { usd } = runCost(usesOf([call(150_000), call(200_000), call(200_001), call(300_000)]), tiered);
    expect(usd).toBeCloseTo(0.35 + 2 + 2 * 0.500001 + 6);
  });

  it("adds up runs, and says when the sum is not the whole", () => {
    const run = (...models: readonly string[]) =>
      runCost(usesOf(models.map((model) => ({ model, usage: { inputTokens: 600_000, outputTokens: 0 } }))), prices);
    expect(costSumText(sumCosts([run("m"), run("m")]))).toBe("$1.20");
    expect(costSumText(sumCosts([run("m"), run("m"), run("x"), run("x"), run("x")]))).toBe(
      "≥ $1.20, 3 runs without a price",
    );
    expect(costSumText(sumCosts([run("m", "x")]))).toBe("≥ $0.60, 1 run priced in part");
    expect(costSumText(sumCosts([run("x")]))).toBe("cost unknown, 1 run without a price");
    expect(costSumText(sumCosts([]))).toBe("");
  });
});

describe("loadPrices", () => {
  it("knows current models by the names that tools log, and guesses none", () => {
    const { priceOf, date } = loadPrices(undefined, "/");
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    const opus = priceOf("claude-opus-4-5");
    expect(opus).toMatchObject({ input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 });
    for (const name of [
      "claude-opus-4-5-20251101",
      "anthropic/claude-opus-4.5",
      "us.anthropic.claude-opus-4-5-20251101-v1:0",
      "claude-opus-4-5@20251101",
      "claude-opus-4-5[1m]",
    ])
      expect(priceOf(name), name).toEqual(opus);
    for (const name of ["claude-sonnet-4-20250514", "gpt-5.1-codex", "gemini-2.5-pro", "grok-code-fast-1"])
      expect(priceOf(name), name).toBeDefined();
    for (const name of ["", "claude-opus-99", "my-model", "__proto__", "constructor"])
      expect(priceOf(name), name).toBeUndefined();
    expect(plainModel("gpt-4o-2024-08-06")).toBe("gpt-4o");
  });

  it("reads the file of LiteLLM, and puts it before the built-in prices", () => {
    const { priceOf, date, source } = pricesIn({
      sample_spec: { mode: "chat" },
      "claude-opus-4-5": {
        input_cost_per_token: 0.000001,
        output_cost_per_token: 0.000002,
        cache_read_input_token_cost: 1e-7,
        input_cost_per_token_above_200k_tokens: 0.000003,
        output_cost_per_token_above_200k_tokens: 0.000004,
      },
    });
    expect(priceOf("claude-opus-4-5-20251101")).toMatchObject({
      input: 1,
      output: 2,
      tiers: [{ overTokens: 200_000, input: 3 }],
    });
    expect(priceOf("claude-haiku-4-5")).toBeDefined();
    expect({ date, source }).toEqual({ date: undefined, source: "prices of prices.json" });
  });

  it.each([
    ["not JSON", "{ nope"],
    ["a list", []],
    ["without a price", { m: "1" }],
    ["with a negative price", { m: { input: -1, output: 1 } }],
    ["with a text for a price", { m: { input: "1", output: 1 } }],
    ["without output", { m: { input: 1 } }],
  ])("rejects a file that is %s", (_what, content) => {
    expect(() => pricesIn(content)).toThrow(expect.objectContaining({ code: "BAD_PRICES" }) as Error);
  });
});
