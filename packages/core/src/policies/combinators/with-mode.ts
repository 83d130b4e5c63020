import type { Policy } from "../policy.ts";
import type { Mode } from "../../view/run-view.ts";

/** Gives one policy a mode of its own, stricter or milder than the run's. */
export function withMode<TState, TPhase extends string>(
  policy: Policy<TState, TPhase>,
  mode: Mode,
): Policy<TState, TPhase> {
  return { ...policy, mode };
}
