import { alert, definePolicy, type Policy, stop } from "@phasekit/core";

/** Options of `quotaFloor`. */
export interface QuotaFloorOptions {
  /** What must remain, in the provider's unit. @default 1 */
  readonly floor?: number;
  /** What must remain as a share of the limit, when the limit is known. @default 0.02 */
  readonly share?: number;
  /** Ask to stop, also outside mode `gate`: then it is a limit you wrote. @default false */
  readonly stops?: boolean;
}

interface QuotaState {
  remaining: number;
  least: number;
}

/**
 * Notices the remaining quota reaching its floor, before the next call is refused.
 *
 * Fires: at the floor. Silent: above it, and after the quota was filled up again.
 * Seen: seed 003, a weekly key used up by retries.
 */
export function quotaFloor({ floor = 1, share = 0.02, stops = false }: QuotaFloorOptions = {}): Policy<QuotaState> {
  return definePolicy<QuotaState>({
    name: "quota-floor",
    version: "1",
    initial: () => ({ remaining: Infinity, least: floor }),
    observe: {
      "quota.observed": (state, { remaining, limit }) => {
        state.remaining = remaining;
        state.least = Math.max(floor, limit === undefined ? 0 : limit * share);
      },
    },
    decide: {
      "quota.observed": (_run, { remaining, least }) => {
        if (remaining > least) return undefined;
        const low = alert({ kind: "quota-floor", signature: "", severity: "critical", evidence: { remaining, floor: least } });
        return stops ? [low, stop({ reason: "rate_limit_mid_run", text: `Only ${String(remaining)} of the quota remain.` })] : low;
      },
    },
  });
}
