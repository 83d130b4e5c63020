/** Formats a count with separators: 12,345. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats a count with its noun: 1 call, 2 calls. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Formats tokens: 950, 12 k, 2.1 M, 1.9 G. */
export function tokens(value: number): string {
  if (value < 1000) return String(Math.round(value));
  if (value < 9950) return `${(value / 1000).toFixed(1)} k`;
  if (value < 999_500) return `${String(Math.round(value / 1000))} k`;
  if (value < 999_950_000) return `${(value / 1_000_000).toFixed(1)} M`;
  return `${(value / 1_000_000_000).toFixed(1)} G`;
}

/** Formats a duration: 850 ms, 42 s, 12 min, 3 h 5 min. */
export function duration(ms: number): string {
  if (Math.round(ms) < 1000) return `${String(Math.round(ms))} ms`;
  // Round first, so that no 60th second appears.
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${String(minutes)} min`;
  return `${String(Math.floor(minutes / 60))} h${minutes % 60 === 0 ? "" : ` ${String(minutes % 60)} min`}`;
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
