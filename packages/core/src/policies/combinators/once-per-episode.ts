import type { Policy } from "../policy.ts";
import { mapDecisions } from "./map-decisions.ts";

/** Says each nudge of a policy once per episode, however often the policy itself would. */
export function oncePerEpisode<TState, TPhase extends string>(policy: Policy<TState, TPhase>): Policy<TState, TPhase> {
  return mapDecisions(policy, (decide) =>
    decide().map((decision) => (decision.decision === "nudge" ? { ...decision, times: 1 } : decision)),
  );
}
