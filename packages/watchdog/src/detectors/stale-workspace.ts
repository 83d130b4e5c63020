import { alert, definePolicy, type Policy } from "@phasekit/core";

/** Options of `staleWorkspace`. */
export interface StaleWorkspaceOptions {
  /** Observations of an unchanged workspace after the first. @default 5 */
  readonly times?: number;
}

interface StaleWorkspaceState {
  hash: string;
  count: number;
}

/**
 * Notices rounds of work after which the workspace is what it was.
 *
 * Fires: the fifth equal observation after the baseline. Silent: four; any change starts anew.
 * Seen: ralph-starter pull request 179, done after four rounds, reading its own files in six more.
 */
export function staleWorkspace({ times = 5 }: StaleWorkspaceOptions = {}): Policy<StaleWorkspaceState> {
  return definePolicy<StaleWorkspaceState>({
    name: "stale-workspace",
    version: "1",
    initial: () => ({ hash: "", count: 0 }),
    observe: {
      "workspace.observed": (state, { hash }) => {
        if (hash === undefined) return;
        state.count = hash === state.hash ? state.count + 1 : 0;
        state.hash = hash;
      },
    },
    decide: {
      "workspace.observed": (_run, { count }) => (count >= times ? alert({ kind: "stale-workspace", signature: "", count, evidence: { unchanged: count } }) : undefined),
    },
  });
}
