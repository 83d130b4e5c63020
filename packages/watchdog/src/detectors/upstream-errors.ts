import { type Alert, alert, definePolicy, type Policy, type Stop, stop } from "@phasekit/core";

/** Options of `upstreamErrors`. */
export interface UpstreamErrorsOptions {
  /** Errors of the upstream that are put up with. @default 10 */
  readonly cap?: number;
  /** Ask to stop, also outside mode `gate`: then it is a limit you wrote. @default false */
  readonly stops?: boolean;
}

interface UpstreamState {
  count: number;
  /** Good answers in a row. */
  good: number;
  last: string;
}

/**
 * Counts errors inside successful answers (HTTP 200 with an error in the body) and failures of the server.
 *
 * Fires: above the cap. Silent: at the cap; after as many good answers in a row as the cap, when the count starts anew; rate limits and errors of the request, which are nobody's ill health.
 * Seen: seed 003, a provider degraded enough that every retry was wasted.
 */
export function upstreamErrors({ cap = 10, stops = false }: UpstreamErrorsOptions = {}): Policy<UpstreamState> {
  const report = ({ count, last }: Readonly<UpstreamState>): readonly (Alert | Stop)[] | undefined => {
    if (count <= cap) return undefined;
    const ill = alert({ kind: "upstream-errors", signature: "", count, severity: "critical", evidence: { last } });
    return stops ? [ill, stop({ reason: "upstream_unhealthy", text: `${String(count)} errors of the upstream.` })] : [ill];
  };
  return definePolicy<UpstreamState>({
    name: "upstream-errors",
    version: "2",
    saysAll: true,
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
        if (state.good >= cap) state.count = 0;
      },
    },
    decide: { "model.failed": (_run, state) => report(state), "model.answered": (_run, state) => report(state) },
  });
}
