import { alert, definePolicy, defineState, type Policy } from "@phasekit/core";
import { setBounded } from "@phasekit/core/adapter";

/** A call that child runs make, and how often each of them made it. */
interface SharedCall {
  calls: number;
  readonly workers: Map<string, true>;
}

interface SharedCallsState {
  readonly calls: Map<string, SharedCall>;
  /** The call with the most calls so far that several workers made. */
  top: string;
}

/** The calls child runs have in common. */
export const sharedCallsState = /* @__PURE__ */ defineState<SharedCallsState>("watchdog/shared-calls");

const MAX_CALLS = 512;
const MAX_WORKERS = 64;

/**
 * Reports a call that several child runs make: how often in all, and how many of them. No single worker repeats itself,
 * so none of them is stalled. A message to the agent starts the count anew.
 */
export function sharedCalls(at: number): Policy {
  return definePolicy<SharedCallsState>({
    name: "shared-calls",
    version: "1",
    key: sharedCallsState,
    alerts: "complete",
    initial: () => ({ calls: new Map(), top: "" }),
    observe: {
      "child.progressed": (state, { child, fingerprints = [] }) => {
        for (const about of fingerprints) {
          const shared = state.calls.get(about) ?? { calls: 0, workers: new Map() };
          shared.calls += 1;
          setBounded(shared.workers, [child, true], MAX_WORKERS);
          setBounded(state.calls, [about, shared], MAX_CALLS);
          if (shared.workers.size > 1 && shared.calls > (state.calls.get(state.top)?.calls ?? 0)) state.top = about;
        }
      },
      "message.received": (state) => {
        state.calls.clear();
        state.top = "";
      },
    },
    decide: {
      "child.progressed": (_run, { calls, top }) => {
        const shared = calls.get(top);
        if (shared === undefined || shared.calls < at) return undefined;
        const { size: workers } = shared.workers;
        return alert({
          kind: "shared-call",
          signature: top,
          severity: "notice",
          count: shared.calls,
          subject: top,
          evidence: { calls: shared.calls, workers },
        });
      },
      "message.received": () => undefined,
    },
  });
}
