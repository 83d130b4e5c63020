import { cleanText } from "../clean-text.ts";
import type { PriceList } from "../money/price-list.ts";
import type { CostSum, RunCost } from "../money/run-cost.ts";
import { words } from "@phasekit/ledger/story";
import { dollars, plural } from "./numbers.ts";

const amount = (cost: number, isPart: boolean): string => words.cost({ cost, unpricedCalls: isPart ? 1 : 0 });

/** Formats the cost of a run for a table: $0.20, ≥ $0.20 if calls have no price, ? if none has one. */
export function costCell({ usd, unpricedCalls }: RunCost): string {
  if (usd === undefined) return unpricedCalls > 0 ? "?" : "";
  return amount(usd, unpricedCalls > 0);
}

/** Formats a sum of costs: ≥ $1.20, 3 runs without a price. */
export function costSumText({ usd, runsWithoutPrice, runsInPart }: CostSum): string {
  const without = [
    ...(runsWithoutPrice > 0 ? [`${plural(runsWithoutPrice, "run")} without a price`] : []),
    ...(runsInPart > 0 ? [`${plural(runsInPart, "run")} priced in part`] : []),
  ];
  if (usd === undefined) return without.length === 0 ? "" : `cost unknown, ${without.join(", ")}`;
  return [amount(usd, without.length > 0), ...without].join(", ");
}

/** Explains the cost of a run: the amount, its source, and the models. `undefined` for a run without model calls. */
export function costText(
  { usd, unpricedCalls, unknownCalls, from, models }: RunCost,
  { source }: PriceList,
): string | undefined {
  const unpriced = models.filter((model) => model.usd === undefined).map(({ model }) => nameOf(model));
  const withoutTokens = `the log does not tell all tokens of ${plural(unknownCalls, "call")}`;
  if (usd === undefined)
    return unpricedCalls === 0
      ? undefined
      : unknownCalls === unpricedCalls
        ? `unknown: ${withoutTokens}`
        : `unknown: no price for ${unpriced.join(", ")}; add one with --prices <file>`;
  const sources = { log: "as logged", prices: `at ${source}`, both: `as logged, the rest at ${source}` };
  const parts = models.flatMap(({ model, usd: part }) =>
    part === undefined ? [] : [`${nameOf(model)} ${dollars(part)}`],
  );
  const withoutPrice = unpricedCalls - unknownCalls;
  return [
    `${amount(usd, unpricedCalls > 0)} ${sources[from ?? "prices"]}`,
    ...(parts.length > 1 ? [parts.join(", ")] : []),
    ...(withoutPrice > 0
      ? [`${plural(withoutPrice, "call")} without a price${unpriced.length > 0 ? ` (${unpriced.join(", ")})` : ""}`]
      : []),
    ...(unknownCalls > 0 ? [withoutTokens] : []),
  ].join("; ");
}

const nameOf = (model: string): string => (model === "" ? "an unnamed model" : cleanText(model));
