export interface RetryDelayOptions {
  /** @default 4000 */
  readonly baseMs?: number;
  /** @default 60000 */
  readonly maxMs?: number;
  /** Share of the delay that chance may add. @default 0.8 */
  readonly jitter?: number;
  /** A number from 0 up to, not including, 1. @default no jitter */
  readonly random?: () => number;
}

/** How long to wait before trying again after a number of failures, from 0: doubling up to a limit, plus jitter. */
export function retryDelay(
  failures: number,
  { baseMs = 4000, maxMs = 60_000, jitter = 0.8, random }: RetryDelayOptions = {},
): number {
  const base = Math.min(maxMs, baseMs * 2 ** Math.max(0, failures));
  return Math.round(base * (1 + (random === undefined ? 0 : jitter * random())));
}
