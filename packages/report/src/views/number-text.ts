/** A span of time for people: the two largest units that matter. */
export function duration(ms: number): string {
  if (Math.round(ms) < 1000) return `${String(Math.round(ms))} ms`;
  // Rounded before it is taken apart: there is no 60th second.
  const tenths = Math.round(ms / 100) / 10;
  if (tenths < 60) return `${String(tenths)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${String(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`;
  const minutes = Math.round(ms / 60_000);
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** A number of tokens for people. */
export function tokens(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${String(Number((count / 1000).toPrecision(3)))} k`;
  return `${String(Number((count / 1_000_000).toPrecision(3)))} M`;
}

/** A share as a percentage. */
export function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}

/** A count with its word. */
export function plural(count: number, word: string): string {
  return `${String(count)} ${word}${count === 1 ? "" : "s"}`;
}
