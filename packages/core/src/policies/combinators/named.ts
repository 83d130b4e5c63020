import { COMBINED, type Policy } from "../policy.ts";

/** Gives a policy another name, for using one twice in a run. */
export function named<TState, TPhase extends string>(
  policy: Policy<TState, TPhase>,
  name: string,
): Policy<TState, TPhase> {
  const decideAs = policy[COMBINED]?.decideAs;
  return { ...policy, name, ...(decideAs !== undefined && { decide: decideAs(name) }) };
}
