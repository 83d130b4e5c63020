import { invalidOption } from "../errors.ts";
import type { NewEvent, Usage } from "../events/run-event.ts";
import { isObject, type LooseObject, toObject } from "../text/loose-object.ts";
import { ownValue } from "../text/own-value.ts";
import type { RunPort } from "../run/run.ts";

/** Prices of the kinds of tokens, per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** @default the price of input */
  readonly cachedInput?: number;
  /** @default the price of input */
  readonly cacheWrite?: number;
  /** Writes to a cache that lasts an hour. @default the price of cache writes */
  readonly longCacheWrite?: number;
}

/** The price of a model, per million tokens. */
export interface ModelPrice extends TokenPrices {
  /** Other prices for a call with more input than `overTokens`. The highest limit that is passed counts. */
  readonly tiers?: readonly (TokenPrices & { readonly overTokens: number })[];
}

/** Prices by the model's id. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

const MILLION = 1_000_000;
/** A dollar for one token: many hundred times what the dearest models cost. */
const MAX_PRICE = MILLION;

const RANGE = "not a price between 0 and 1,000,000 per million tokens";

/** Returns what is wrong with the first wrong price of a table, for people. */
export function priceProblem(prices: PriceTable): string | undefined {
  for (const [model, price] of Object.entries<unknown>(prices)) {
    const { tiers, ...base } = toObject(price);
    for (const rates of [base, ...(Array.isArray(tiers) ? (tiers as readonly unknown[]) : [])])
      for (const [name, value] of Object.entries(toObject(rates)))
        if (name !== "overTokens" && value !== undefined && !isPrice(value))
          return `"${name}" of "${model}" is ${shownValue(value)}, ${RANGE}`;
  }
  return undefined;
}

const shownValue = (value: unknown): string => (typeof value === "number" ? String(value) : `a ${typeof value}`);

function isPrice(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= MAX_PRICE;
}

/**
 * The cost of a model call; `undefined` if the usage or the price is not known, or is not a number one can pay. Unknown
 * is never 0. `promptTokens` chooses the tier of the price: the input of one call, where usage is the sum of several.
 */
export function costOf(
  usage: Usage | undefined,
  price: ModelPrice | undefined,
  promptTokens = usage?.inputTokens ?? 0,
): number | undefined {
  const { inputTokens, outputTokens, cachedInputTokens: cached = 0, cacheWriteTokens: written = 0 } = usage ?? {};
  if (inputTokens === undefined || outputTokens === undefined || price === undefined) return undefined;
  const prices = pricesAt(price, promptTokens);
  const { input, output, cachedInput = input, cacheWrite = input, longCacheWrite = cacheWrite } = prices;
  const fresh = Math.max(0, inputTokens - cached - written);
  const long = Math.min(usage?.longCacheWriteTokens ?? 0, written);
  const writes = (written - long) * cacheWrite + long * longCacheWrite;
  const cost = (fresh * input + cached * cachedInput + writes + outputTokens * output) / MILLION;
  return cost >= 0 && cost < Infinity ? cost : undefined;
}

/** Returns the prices of a call with this much input. */
function pricesAt(price: ModelPrice, inputTokens: number): TokenPrices {
  let found: TokenPrices & { readonly overTokens?: number } = price;
  for (const tier of price.tiers ?? [])
    if (inputTokens > tier.overTokens && tier.overTokens > (found.overTokens ?? -1)) found = tier;
  return found;
}

/**
 * A run that records the cost of every model call whose provider does not report one, and of its children's. Pass it to
 * an adapter in the place of the run.
 *
 * @example
 * withPhases(pricedRun(run, { "gpt-5": { input: 1.25, output: 10, cachedInput: 0.125 } }), client)
 * @throws INVALID_OPTION for a price that is negative, not a number, or absurd
 */
export function pricedRun<TRun extends RunPort>(run: TRun, prices: PriceTable): TRun {
  const problem = priceProblem(prices);
  if (problem !== undefined) throw invalidOption("prices", problem);
  const record = (event: NewEvent): boolean => run.record(event.type === "model.answered" ? priced(event) : event);
  const priced = (event: NewEvent<"model.answered">): NewEvent => {
    const { usage, model = "" } = event;
    const cost = usage?.cost ?? costOf(usage, ownValue(prices, model));
    return cost === undefined ? event : { ...event, usage: { ...usage, cost } };
  };
  const child: RunPort["child"] = (options) => pricedRun(run.child(options), prices);
  return new Proxy(run, {
    get: (target, key) =>
      key === "record" ? record : key === "child" ? child : (Reflect.get(target, key, target) as unknown),
  });
}

/**
 * Reads a table of prices: LiteLLM's `model_prices_and_context_window.json`, or one provider of models.dev, which
 * tokenlens uses too (`{ models: { "gpt-5": { cost } } }`). Models without prices are left out.
 *
 * @example
 * pricesFrom(catalog.openai)
 */
export function pricesFrom(data: unknown): PriceTable {
  const { models } = toObject(data);
  // The models of LiteLLM are members of the table itself, and have no `cost`.
  return isObject(models) && Object.values(models).some((entry) => isObject(toObject(entry)["cost"]))
    ? modelsDevPrices(models)
    : liteLlmTable(data);
}

function liteLlmTable(data: unknown): PriceTable {
  return pricesIn(data, (entry) => {
    const prices = liteLlmPrices(entry, "");
    const tiers = Object.keys(entry).flatMap((key) => {
      const [, suffix = "", thousands] = /^input_cost_per_token(_above_(\d+)k_tokens)$/.exec(key) ?? [];
      const tier = suffix === "" ? undefined : liteLlmPrices(entry, suffix);
      return tier === undefined ? [] : [{ ...tier, overTokens: Number(thousands) * 1000 }];
    });
    return prices && { ...prices, ...(tiers.length > 0 && { tiers }) };
  });
}

function liteLlmPrices(entry: LooseObject, suffix: string): TokenPrices | undefined {
  const perMillion = (name: string): unknown => {
    const price = entry[`${name}${suffix}`];
    return typeof price === "number" ? price * MILLION : undefined;
  };
  return toPrices({
    input: perMillion("input_cost_per_token"),
    output: perMillion("output_cost_per_token"),
    cachedInput: perMillion("cache_read_input_token_cost"),
    cacheWrite: perMillion("cache_creation_input_token_cost"),
    longCacheWrite: perMillion("cache_creation_input_token_cost_above_1hr"),
  });
}

function modelsDevPrices(models: LooseObject): PriceTable {
  return pricesIn(models, ({ cost }) => {
    const { input, output, cache_read: cachedInput, cache_write: cacheWrite } = toObject(cost);
    return toPrices({ input, output, cachedInput, cacheWrite, longCacheWrite: undefined });
  });
}

function pricesIn(entries: unknown, read: (entry: LooseObject) => ModelPrice | undefined): PriceTable {
  const priced = Object.entries(toObject(entries)).map(([model, entry]) => [model, read(toObject(entry))] as const);
  return Object.fromEntries(priced.filter((pair): pair is [string, ModelPrice] => pair[1] !== undefined));
}

/** Prices with the members that are numbers; `undefined` unless input and output are. */
function toPrices({ input, output, ...others }: Readonly<Record<keyof TokenPrices, unknown>>): TokenPrices | undefined {
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  const known = Object.entries(others).filter(([, price]) => typeof price === "number");
  return { input, output, ...Object.fromEntries(known) };
}
