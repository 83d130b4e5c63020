import type { Policy } from "../policy.ts";

/** Gives a policy another name, for using one twice in a run. */
export function named<TState, TPhase extends string>(
  policy: Policy<TState, TPhase>,
  name: string,
): Policy<TState, TPhase> {
  return { ...policy, name, ...(policy.decideAs !== undefined && { decide: policy.decideAs(name) }) };
}
