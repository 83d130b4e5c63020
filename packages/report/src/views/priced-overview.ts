import type { RunEvent } from "@phasekit/core";
import { costOf, type ModelPrice } from "@phasekit/core/adapter";
import { type Overview, overviewOf } from "./overview.ts";
import { aboutLine, type RunAbout } from "./run-line.ts";

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
 *
 * @example
 * const { line } = pricedOverview(events, { source: "our prices", priceOf });
 */
function priceEvents(events: readonly RunEvent[], { priceOf }: ReportPrices): readonly RunEvent[] {
  return events.map((event) => {
    if (event.type !== "model.answered" || event.usage === undefined || (event.usage.cost ?? 0) > 0) return event;
    const { cost: _none, ...usage } = event.usage;
    const cost = costOf(usage, priceOf(event.model ?? ""));
    return { ...event, usage: { ...usage, ...(cost !== undefined && { cost }) } };
  });
}

/** Returns the overview of a run with its cost, and what the caller knows about it. */
export function pricedOverview(
  events: readonly RunEvent[],
  {
    prices,
    about = {},
    alive = false,
  }: {
    readonly prices?: ReportPrices | undefined;
    readonly about?: RunAbout;
    readonly alive?: boolean;
  },
): Overview {
  const priced = prices === undefined ? events : priceEvents(events, prices);
  const overview = overviewOf(priced, { alive });
  const isPriced = priced.some(
    (event, index) => costIn(event) !== undefined && costIn(event) !== costIn(events[index]),
  );
  return {
    ...overview,
    line: { ...overview.line, ...aboutLine({ project: folderName(events[0]), ...about }) },
    ...(isPriced && prices !== undefined && { prices: prices.source }),
  };
}

/** The last part of the folder that the agent worked in. */
function folderName(header: RunEvent | undefined): string | undefined {
  const folder = header?.type === "run.started" ? header.folder : undefined;
  return typeof folder === "string" ? folder.split(/[\\/]/).findLast((part) => part !== "") : undefined;
}

const costIn = (event: RunEvent | undefined): number | undefined =>
  event?.type === "model.answered" ? event.usage?.cost : undefined;
