import {
  isObject,
  type ModelPrice,
  ownValue,
  priceProblem,
  pricesFrom,
  type PriceTable,
  toObject,
} from "@phasekit/core/adapter";
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { badPrices } from "../errors.ts";
import table from "./price-table.json" with { type: "json" };

/** Prices by model, and where they come from. */
export interface PriceList {
  /** For people, such as "prices of 2026-09-23" or "prices.json". */
  readonly source: string;
  /** The day the prices were collected, where it is known. */
  readonly date?: string;
  /** Returns the price of a model by its id as logged; `undefined` if it is not known. */
  readonly priceOf: (model: string) => ModelPrice | undefined;
}

/** Returns the built-in prices, or those of a file: the models in it win over the built-in ones. */
export function loadPrices(file: string | undefined, cwd: string): PriceList {
  const builtIn = table.prices as PriceTable;
  if (file === undefined)
    return { source: `list prices of ${table.date}`, date: table.date, priceOf: priceFinder([builtIn]) };
  return { source: `prices of ${basename(file)}`, priceOf: priceFinder([readPrices(resolve(cwd, file)), builtIn]) };
}

/** Converts a price list to the data of `--json`: its source, not the prices. */
export const pricesToData = ({ source, date }: PriceList): object => ({ source, ...(date !== undefined && { date }) });

/**
 * Reads prices: of LiteLLM's `model_prices_and_context_window.json`, or USD per million tokens by model.
 * @throws BAD_PRICES
 */
function readPrices(path: string): PriceTable {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw badPrices(path, error instanceof Error ? error.message : String(error));
  }
  if (typeof data !== "object" || data === null || Array.isArray(data)) throw badPrices(path, "it is not an object");
  const own = (data as { readonly prices?: unknown }).prices ?? data;
  const liteLlm = pricesFrom(own);
  const prices = Object.keys(liteLlm).length > 0 ? liteLlm : ownPrices(own, path);
  if (Object.keys(prices).length === 0) throw badPrices(path, "it has no model with a price");
  const problem = priceProblem(prices);
  if (problem !== undefined) throw badPrices(path, problem);
  return prices;
}

/** Reads prices in our own form. */
function ownPrices(data: unknown, path: string): PriceTable {
  const models = Object.entries(data as Record<string, unknown>).filter(([, entry]) => isObject(entry));
  for (const [model, entry] of models) {
    const { input, output, tiers = [] } = toObject(entry);
    if (!Array.isArray(tiers) || !tiers.every((tier) => typeof toObject(tier)["overTokens"] === "number"))
      throw badPrices(path, `"tiers" of "${model}" is not a list of prices with "overTokens"`);
    if (input === undefined || output === undefined) throw badPrices(path, `"${model}" lacks input or output`);
  }
  return Object.fromEntries(models) as PriceTable;
}

/** Finds a model in the first table that has it: by its id, else by its plain name. */
function priceFinder(tables: readonly PriceTable[]): PriceList["priceOf"] {
  const finders = tables.map((prices) => {
    const byName = new Map(Object.entries(prices).map(([model, price]) => [plainModel(model), price]));
    return (model: string): ModelPrice | undefined => ownValue(prices, model) ?? byName.get(plainModel(model));
  });
  const found = new Map<string, ModelPrice | undefined>();
  return (model) => {
    if (!found.has(model))
      found.set(
        model,
        finders.map((find) => find(model)).find((price) => price !== undefined),
      );
    return found.get(model);
  };
}

/**
 * Returns a model's name without its provider, region, date and version: `us.anthropic.claude-opus-4-5-20251101-v1:0`
 * is `claude-opus-4-5`. Never guesses a family: a model that is not listed has no price.
 */
export function plainModel(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|openai|google|amazon|mistral|xai|moonshotai)\./, "")
    .replace(/(?:@|:|\[).*$/, "")
    .replace(/-v\d+$/, "")
    .replaceAll(".", "-")
    .replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "")
    .replace(/-latest$/, "");
}
