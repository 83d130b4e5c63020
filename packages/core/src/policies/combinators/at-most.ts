import type { Policy } from "../policy.ts";
import { mapDecisions } from "./map-decisions.ts";

/** Lets a policy nudge at most `times` times in a run. Other decisions pass. */
export function atMost<TState, TPhase extends string>(
  policy: Policy<TState, TPhase>,
  { times }: { readonly times: number },
): Policy<TState, TPhase> {
  return mapDecisions(policy, (decide, { run, policy: name }) =>
    run.nudgeCount(name) >= times ? decide().filter(({ decision }) => decision !== "nudge") : decide(),
  );
}
