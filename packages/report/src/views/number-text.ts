/** Formats a duration with its two largest units. */
export function duration(ms: number): string {
  if (Math.round(ms) < 1000) return `${String(Math.round(ms))} ms`;
  // Round first, so that no 60th second appears.
  const tenths = Math.round(ms / 100) / 10;
  if (tenths < 60) return `${String(tenths)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${String(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`;
  const minutes = Math.round(ms / 60_000);
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** Formats a number of tokens. */
export function tokens(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${String(Number((count / 1000).toPrecision(3)))} k`;
  if (count < 999_500_000) return `${String(Number((count / 1_000_000).toPrecision(3)))} M`;
  return `${String(Number((count / 1_000_000_000).toPrecision(3)))} G`;
}

/** Formats a cost in US dollars. */
function money(cost: number): string {
  if (cost > 0 && cost < 0.005) return "<$0.01";
  return `$${cost >= 1000 ? count(cost) : cost.toFixed(2)}`;
}

/** A cost in US dollars, as far as it is known. */
export interface Cost {
  readonly cost?: number;
  /** Model calls without a known cost. */
  readonly unpricedCalls: number;
}

/** Formats a cost: a lower bound if it is known in part. */
export function costText({ cost, unpricedCalls }: Cost): string {
  if (cost === undefined) return unpricedCalls === 0 ? "$0.00" : "unknown";
  // A bound is rounded down, or it would not be one.
  return unpricedCalls === 0 ? money(cost) : `≥ $${(Math.floor(cost * 100 + 1e-6) / 100).toFixed(2)}`;
}

/** Formats a whole number with separators. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** Formats a share as a percentage. */
export function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}

/** Formats a count with its noun. */
export function plural(value: number, word: string): string {
  return `${count(value)} ${word}${value === 1 ? "" : "s"}`;
}
