import type { NewEvent, Usage } from "../events/run-event.ts";
import { toObject } from "../loose-object.ts";
import type { RunPort } from "../run.ts";

/** The price of a model, per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** @default the price of input */
  readonly cachedInput?: number;
  /** @default the price of input */
  readonly cacheWrite?: number;
}

/** Prices by the model's id. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

const MILLION = 1_000_000;

/** The cost of a model call; `undefined` if the usage or the price is not known. Unknown is never 0. */
export function costOf(usage: Usage | undefined, price: ModelPrice | undefined): number | undefined {
  const { inputTokens, outputTokens, cachedInputTokens: cached = 0, cacheWriteTokens: written = 0 } = usage ?? {};
  if (inputTokens === undefined || outputTokens === undefined || price === undefined) return undefined;
  const { input, output, cachedInput = input, cacheWrite = input } = price;
  const fresh = Math.max(0, inputTokens - cached - written);
  return (fresh * input + cached * cachedInput + written * cacheWrite + outputTokens * output) / MILLION;
}

/**
 * A run that records the cost of every model call whose provider does not report one. Pass it to an adapter in the
 * place of the run.
 *
 * @example
 * withPhases(pricedRun(run, { "gpt-5": { input: 1.25, output: 10, cachedInput: 0.125 } }), client)
 */
export function pricedRun<TRun extends RunPort>(run: TRun, prices: PriceTable): TRun {
  const record = (event: NewEvent): boolean => run.record(event.type === "model.answered" ? priced(event) : event);
  const priced = (event: NewEvent<"model.answered">): NewEvent => {
    const { usage, model = "" } = event;
    const cost = usage?.cost ?? costOf(usage, Object.hasOwn(prices, model) ? prices[model] : undefined);
    return cost === undefined ? event : { ...event, usage: { ...usage, cost } };
  };
  return new Proxy(run, {
    get: (target, key) => (key === "record" ? record : (Reflect.get(target, key, target) as unknown)),
  });
}

/** Prices in the form of LiteLLM's `model_prices_and_context_window.json`. Models without prices are left out. */
export function pricesFromLiteLlm(data: unknown): PriceTable {
  const prices: Record<string, ModelPrice> = {};
  for (const [model, entry] of Object.entries(toObject(data))) {
    const {
      input_cost_per_token: input,
      output_cost_per_token: output,
      cache_read_input_token_cost: read,
      cache_creation_input_token_cost: write,
    } = toObject(entry);
    if (typeof input !== "number" || typeof output !== "number" || model === "__proto__") continue;
    prices[model] = {
      input: input * MILLION,
      output: output * MILLION,
      ...(typeof read === "number" && { cachedInput: read * MILLION }),
      ...(typeof write === "number" && { cacheWrite: write * MILLION }),
    };
  }
  return prices;
}
