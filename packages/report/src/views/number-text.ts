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
export function money(cost: number): string {
  return `$${cost >= 100 ? String(Math.round(cost)) : cost.toFixed(cost >= 0.1 ? 2 : 4)}`;
}

/** Formats a share as a percentage. */
export function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}

/** Formats a count with its noun. */
export function plural(count: number, word: string): string {
  return `${String(count)} ${word}${count === 1 ? "" : "s"}`;
}
