/** Formats a count with separators: 12,345. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats a count with its noun: 1 call, 2 calls. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Formats tokens with three digits: 950, 12.3 k, 2.14 M, 1.9 G. */
export function tokens(value: number): string {
  const short = (by: number): string => String(Number((value / by).toPrecision(3)));
  if (value < 999.5) return String(Math.round(value));
  if (value < 999_500) return `${short(1000)} k`;
  return value < 999_500_000 ? `${short(1_000_000)} M` : `${short(1_000_000_000)} G`;
}

/** Formats a duration with its two largest units: 850 ms, 42.5 s, 12 min 5 s, 3 h 5 min. */
export function duration(ms: number): string {
  if (Math.round(ms) < 1000) return `${String(Math.round(ms))} ms`;
  // Round first, so that no 60th second appears.
  const tenths = Math.round(ms / 100) / 10;
  if (tenths < 60) return `${String(tenths)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 3600 ? units(seconds, ["min", "s"]) : units(Math.round(ms / 60_000), ["h", "min"]);
}

/** A number of small units as 60 of them each, without a part that is 0. */
function units(value: number, [large, small]: readonly [string, string]): string {
  const rest = value % 60;
  return `${String(Math.floor(value / 60))} ${large}${rest === 0 ? "" : ` ${String(rest)} ${small}`}`;
}

/** Formats an amount of US dollars: $0.20, $1,240, <$0.01. */
export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.005) return "<$0.01";
  return usd < 1000 ? `$${usd.toFixed(2)}` : `$${count(usd)}`;
}

/** Formats a lower bound of US dollars: ≥ $0.20. It is rounded down, or it would not be one. */
export function atLeastDollars(usd: number): string {
  return `≥ ${usd < 1000 ? `$${(Math.floor(usd * 100 + 1e-6) / 100).toFixed(2)}` : dollars(usd)}`;
}

/** A cost in US dollars, as far as it is known. */
export interface KnownCost {
  /** In US dollars; absent if no call has a price. */
  readonly cost?: number;
  /** Model calls without a known cost: `cost` is a lower bound if there are any. */
  readonly unpricedCalls: number;
}

/** Returns the cost in the usage of a run or a phase, as far as it is known. */
export function knownCost(usage: {
  readonly cost?: number;
  readonly modelCalls: number;
  readonly unpricedCalls?: number;
}): KnownCost {
  const { cost: usd, modelCalls, unpricedCalls = 0 } = usage;
  return usd === undefined ? { unpricedCalls: modelCalls } : { cost: usd, unpricedCalls };
}

/** Formats a cost: a lower bound if it is known in part. */
export function cost({ cost: usd, unpricedCalls }: KnownCost): string {
  if (usd === undefined) return unpricedCalls === 0 ? "$0.00" : "unknown";
  return unpricedCalls === 0 ? dollars(usd) : atLeastDollars(usd);
}

/** Makes a sentence of a text without a capital letter or a full stop. */
export function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}

/** Joins parts as a sentence does: a, b and c. */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}

/** Formats an age: just now, 5 min ago, 3 days ago. It never rounds up, as `age` does not. */
export function ago(ms: number): string {
  if (ms < 60_000) return "just now";
  return `${age(ms).replace(/ d$/, " days")} ago`;
}

/** Formats an age for a table column: 8 s, 5 min, 3 h, 12 d. */
export function age(ms: number): string {
  if (ms < 60_000) return `${String(Math.floor(ms / 1000))} s`;
  if (ms < 3_600_000) return `${String(Math.floor(ms / 60_000))} min`;
  return ms < 48 * 3_600_000 ? `${String(Math.floor(ms / 3_600_000))} h` : `${String(Math.floor(ms / 86_400_000))} d`;
}

/** Formats a share: 61 %. */
export function percent(share: number): string {
  return `${share > 0 && share < 0.005 ? "<1" : String(Math.round(share * 100))} %`;
}

/** Formats bytes: 0.4 MB, 12 MB. */
export function megabytes(bytes: number): string {
  const value = bytes / 1_000_000;
  return `${value < 10 ? value.toFixed(1) : String(Math.round(value))} MB`;
}
