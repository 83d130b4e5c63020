import { words } from "@phasekit/ledger/story";

const { atLeastDollars, dollars } = words;
export const { count, duration, percent, plural, tokens } = words;

/** A cost in US dollars, as far as it is known. */
export interface Cost {
  readonly cost?: number;
  /** Model calls without a known cost. */
  readonly unpricedCalls: number;
}

/** Formats a cost: a lower bound if it is known in part. */
export function costText({ cost, unpricedCalls }: Cost): string {
  if (cost === undefined) return unpricedCalls === 0 ? "$0.00" : "unknown";
  return unpricedCalls === 0 ? dollars(cost) : atLeastDollars(cost);
}
