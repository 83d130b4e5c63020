import type { ModelUse } from "@phasekit/ledger/story";
import { costOf } from "@phasekit/core/adapter";
import type { PriceList } from "./price-list.ts";

/** The cost of a run in USD. */
export interface RunCost {
  /** The sum of all known parts; absent if no part is known. Unknown is never 0. */
  readonly usd?: number;
  /** Model calls without a known cost: `usd` is the least the run cost. */
  readonly unpricedCalls: number;
  /** Those of them whose tokens the log does not tell, or only in part: no price would help. */
  readonly unknownCalls: number;
  /** Where the known parts come from; absent if there are none. */
  readonly from?: "log" | "prices" | "both";
  /** Cost by model, the most expensive first. */
  readonly models: readonly { readonly model: string; readonly usd?: number }[];
}

/** Returns the cost of a run: as its log reports it, else by the prices of its models. */
export function runCost(uses: readonly ModelUse[], { priceOf }: PriceList): RunCost {
  let unpricedCalls = 0;
  let unknownCalls = 0;
  let hasLogged = false;
  let hasPriced = false;
  const models = new Map<string, number | undefined>();
  for (const { model, above, loggedCost, unpriced } of uses) {
    const price = priceOf(model);
    // Every prompt in these sums was longer than `above`: the length of the sum itself says nothing.
    const hasTokens = unpriced.calls > unpriced.unknownCalls || unpriced.inputTokens + unpriced.outputTokens > 0;
    const priced = hasTokens && price !== undefined ? costOf(unpriced, price, above + 1) : undefined;
    unpricedCalls += priced === undefined ? unpriced.calls : unpriced.unknownCalls;
    unknownCalls += unpriced.unknownCalls;
    hasLogged ||= loggedCost !== undefined;
    hasPriced ||= priced !== undefined;
    models.set(model, sum([models.get(model), loggedCost, priced]));
  }
  const usd = sum([...models.values()]);
  return {
    ...(usd !== undefined && { usd }),
    unpricedCalls,
    unknownCalls,
    ...(usd !== undefined && { from: hasLogged && hasPriced ? "both" : hasLogged ? "log" : "prices" }),
    models: [...models]
      .map(([model, cost]) => ({ model, ...(cost !== undefined && { usd: cost }) }))
      .sort((a, b) => (b.usd ?? 0) - (a.usd ?? 0)),
  };
}

/** The cost of several runs. */
export interface CostSum {
  /** The sum of what is known; absent if nothing is. */
  readonly usd?: number;
  /** Runs without any known cost, and runs with calls without one. */
  readonly runsWithoutPrice: number;
  readonly runsInPart: number;
}

/** Adds up the costs of runs. A run without model calls costs nothing. */
export function sumCosts(costs: readonly RunCost[]): CostSum {
  const usd = sum(costs.map((cost) => cost.usd));
  return {
    ...(usd !== undefined && { usd }),
    runsWithoutPrice: costs.filter((cost) => cost.usd === undefined && cost.unpricedCalls > 0).length,
    runsInPart: costs.filter((cost) => cost.usd !== undefined && cost.unpricedCalls > 0).length,
  };
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}
