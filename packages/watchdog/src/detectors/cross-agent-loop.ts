import { alert, definePolicy, type Policy } from "@phasekit/core";
import { setBounded } from "../bounded.ts";
import { labelOf } from "../fingerprint.ts";

/** Options of `crossAgentLoop`. */
export interface CrossAgentLoopOptions {
  /** Equal calls over all agents. @default 10 */
  readonly times?: number;
  /** Agents that must have made it. @default 2 */
  readonly agents?: number;
}

interface Shared {
  readonly count: number;
  readonly agents: readonly string[];
}

interface CrossAgentLoopState {
  readonly calls: Map<string, Shared>;
  fingerprint: string;
}

const MAX_CALLS = 512;
const MAX_AGENTS = 16;

/**
 * Notices several agents making the same call: each of them is fine, together they are a loop.
 *
 * Fires: the tenth equal call over a run and its child runs. Silent: nine, or one agent alone (`repeatedCall`'s).
 * Seen: openhuman issue 5806, five of seventeen agents listing the same pull requests, 110 reads and no result.
 */
export function crossAgentLoop({ times = 10, agents = 2 }: CrossAgentLoopOptions = {}): Policy<CrossAgentLoopState> {
  const report = ({ calls, fingerprint }: Readonly<CrossAgentLoopState>) => {
    const found = calls.get(fingerprint);
    if (found === undefined || found.count < times || found.agents.length < agents) return undefined;
    return alert({
      kind: "cross-agent-loop", signature: fingerprint, subject: fingerprint, count: found.count, severity: "warning",
      evidence: { call: labelOf(fingerprint), agents: found.agents },
    });
  };
  const see = (state: CrossAgentLoopState, agent: string, fingerprint: string): void => {
    const before = state.calls.get(fingerprint) ?? { count: 0, agents: [] };
    const known = before.agents.includes(agent) || before.agents.length >= MAX_AGENTS;
    setBounded(state.calls, [fingerprint, { count: before.count + 1, agents: known ? before.agents : [...before.agents, agent] }], MAX_CALLS);
    state.fingerprint = fingerprint;
  };
  return definePolicy<CrossAgentLoopState>({
    name: "cross-agent-loop",
    version: "1",
    initial: () => ({ calls: new Map(), fingerprint: "" }),
    observe: {
      "child.progressed": (state, { child, fingerprints = [] }) => {
        for (const fingerprint of fingerprints) see(state, child, fingerprint);
      },
      "message.received": (state) => { state.calls.clear(); },
    },
    decide: { "child.progressed": (_run, state) => report(state) },
  });
}
