import { type Alert, alert, definePolicy, type Policy, type Stop, stop } from "@phasekit/core";
import type { LimitOptions } from "./breakers.ts";

interface QuotaState {
  remaining: number;
  least: number;
}

/** The share of a known limit that must remain. */
const SHARE = 0.02;

/** Reports a remaining quota at its floor, before the provider refuses the next call. */
export function quotaFloor({ at, stops }: LimitOptions): Policy {
  return definePolicy<QuotaState>({
    name: "quota-floor",
    version: "1",
    initial: () => ({ remaining: Infinity, least: at }),
    observe: {
      "quota.observed": (state, { remaining, limit }) => {
        state.remaining = remaining;
        state.least = Math.max(at, limit === undefined ? 0 : limit * SHARE);
      },
    },
    decide: {
      "quota.observed": (_run, { remaining, least }) => {
        if (remaining > least) return undefined;
        const low = alert({ kind: "quota-floor", severity: "critical", evidence: { remaining, floor: least } });
        const text = `Only ${remaining} of the quota remain.`;
        return stops ? [low, stop({ reason: "rate_limit_mid_run", text })] : low;
      },
    },
  });
}

interface UpstreamState {
  count: number;
  /** Good answers in a row. */
  good: number;
  last: string;
}

/**
 * Counts errors inside successful answers (HTTP 200 with an error in the body) and failures of the server. As many
 * good answers in a row as are tolerated errors reset the count. Rate limits and errors of the request do not count.
 */
export function upstreamErrors({ at, stops }: LimitOptions): Policy {
  const report = (_run: unknown, { count, last }: Readonly<UpstreamState>): readonly (Alert | Stop)[] | undefined => {
    if (count <= at) return undefined;
    const ill = alert({ kind: "upstream-errors", count, severity: "critical", evidence: { last } });
    return stops ? [ill, stop({ reason: "upstream_unhealthy", text: `${count} errors of the upstream.` })] : [ill];
  };
  return definePolicy<UpstreamState>({
    name: "upstream-errors",
    version: "2",
    alerts: "complete",
    initial: () => ({ count: 0, good: 0, last: "" }),
    observe: {
      "model.failed": (state, { inBody, status = 0, code, message }) => {
        if (inBody !== true && status < 500) return;
        state.count += 1;
        state.good = 0;
        state.last = (code ?? message ?? String(status)).slice(0, 160);
      },
      "model.answered": (state) => {
        state.good += 1;
        if (state.good >= at) state.count = 0;
      },
    },
    decide: { "model.failed": report, "model.answered": report },
  });
}
