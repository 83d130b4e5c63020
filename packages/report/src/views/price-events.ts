import type { RunEvent } from "@phasekit/core";
import { costOf, type ModelPrice } from "@phasekit/core/adapter";

/** Prices by model, and where they come from. */
export interface ReportPrices {
  /** For people, such as "list prices of 2026-09-23". */
  readonly source: string;
  /** Returns the price of a model by its id as logged; `undefined` if it is not known. */
  readonly priceOf: (model: string) => ModelPrice | undefined;
}

/**
 * Adds the cost to model calls whose log reports none, as far as their price is known. A logged cost of 0 counts as
 * not reported: tools log it for models whose price they do not know.
 */
export function priceEvents(
  events: readonly RunEvent[],
  { priceOf }: ReportPrices,
): { readonly events: readonly RunEvent[]; readonly pricedCalls: number } {
  let pricedCalls = 0;
  const priced = events.map((event) => {
    if (event.type !== "model.answered" || event.usage === undefined || (event.usage.cost ?? 0) > 0) return event;
    const { cost: _none, ...usage } = event.usage;
    const cost = costOf(usage, priceOf(event.model ?? ""));
    if (cost === undefined) return { ...event, usage };
    pricedCalls += 1;
    return { ...event, usage: { ...usage, cost } };
  });
  return { events: priced, pricedCalls };
}
