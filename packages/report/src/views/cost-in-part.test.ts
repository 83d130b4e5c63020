import type { RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { goodRun } from "../../test/sample-runs.ts";
import { compareRuns } from "./compare-runs.ts";
import { costText } from "./number-text.ts";
import { overviewOf } from "./overview.ts";
import { overviewToMarkdown } from "./overview-to-markdown.ts";
import { pricedOverview } from "./priced-overview.ts";

const price = { input: 3, output: 15 };
/** The same run, with another model for every answer after the first. */
const twoModels = goodRun().map((event, index, all) =>
  event.type === "model.answered" && index > all.findIndex(({ type }) => type === "model.answered")
    ? { ...event, model: "unlisted-2" }
    : event,
) as readonly RunEvent[];
const pricesFor = (...models: readonly string[]): Parameters<typeof pricedOverview>[1] => ({
  prices: { source: "prices of a test", priceOf: (model) => (models.includes(model) ? price : undefined) },
});

describe("the cost of a run", () => {
  it("is whole if every model call has a price", () => {
    const { line, verdict, spend, prices } = pricedOverview(twoModels, pricesFor("scripted-1", "unlisted-2"));
    expect(line.unpricedCalls).toBe(0);
    expect(line.models).toEqual(["scripted-1", "unlisted-2"]);
    expect(costText(line)).toMatch(/^\$0\.\d\d$/);
    expect(verdict[2]?.answer).toMatch(/ · \$0\.\d\d$/);
    expect(spend.rows.reduce((sum, { cost = 0 }) => sum + cost, 0)).toBeCloseTo(spend.total.cost ?? 0);
    expect(prices).toBe("prices of a test");
  });

  it("is a lower bound if a model call has no price", () => {
    const overview = pricedOverview(twoModels, pricesFor("scripted-1"));
    expect(overview.line.unpricedCalls).toBe(2);
    expect(overview.verdict[2]?.answer).toMatch(/ · ≥ \$0\.\d\d$/);
    expect(overview.verdict[2]?.text).toContain("The cost of 2 model calls is unknown.");
    expect(overviewToMarkdown(overview)).toMatch(/\| all \|.* \| ≥ \$0\.\d\d \| 0 \|/);
    // A bound says nothing about which run cost less.
    const whole = pricedOverview(twoModels, pricesFor("scripted-1", "unlisted-2"));
    expect(compareRuns(overview, whole).find(({ what }) => what === "Cost")).not.toHaveProperty("better");
  });

  it("is unknown without any price, and never 0", () => {
    const overview = overviewOf(twoModels);
    expect(overview.line).not.toHaveProperty("cost");
    expect(overview.verdict[2]?.answer).toMatch(/ · cost unknown$/);
    expect(overview).not.toHaveProperty("prices");
  });

  it("a logged cost wins over a price, and a logged 0 does not count as known", () => {
    const logged = (cost: number): readonly RunEvent[] =>
      twoModels.map((event) =>
        event.type === "model.answered" ? { ...event, usage: { ...event.usage, cost } } : event,
      );
    expect(pricedOverview(logged(2), pricesFor("scripted-1")).line).toMatchObject({ cost: 6, unpricedCalls: 0 });
    expect(pricedOverview(logged(0), pricesFor("scripted-1")).line.unpricedCalls).toBe(2);
  });

  it.each([
    [{ cost: 1.239, unpricedCalls: 0 }, "$1.24"],
    [{ cost: 1.239, unpricedCalls: 1 }, "≥ $1.23"],
    [{ cost: 0.001, unpricedCalls: 0 }, "<$0.01"],
    [{ cost: 0.001, unpricedCalls: 1 }, "≥ $0.00"],
    [{ cost: 12_345.6, unpricedCalls: 0 }, "$12,346"],
    [{ unpricedCalls: 3 }, "unknown"],
    [{ unpricedCalls: 0 }, "$0.00"],
  ])("%o is %s", (cost, text) => {
    expect(costText(cost)).toBe(text);
  });
});

describe("a log without times", () => {
  it("says so instead of 0 ms", () => {
    const still = goodRun().map((event) => ({ ...event, at: 0 })) as unknown as readonly RunEvent[];
    const overview = overviewOf(still);
    expect(overview.verdict[2]?.answer).toMatch(/^time unknown · /);
    expect(overviewToMarkdown(overview)).not.toMatch(/\b0 ms\b|\| Time/);
  });
});
