/** A span of time for people: the two largest units that matter. */
export function duration(ms: number): string {
  if (ms < 1000) return `${String(Math.round(ms))} ms`;
  if (ms < 60_000) return `${String(Number((ms / 1000).toFixed(1)))} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${String(minutes)} min ${String(Math.round((ms % 60_000) / 1000))} s`;
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
