import type { Policy } from "../policy.ts";
import { mapDecisions } from "./map-decisions.ts";

/** Lets a policy nudge only when its last nudge is at least `turns` turns ago. Other decisions pass. */
export function cooldown<TState, TPhase extends string>(
  policy: Policy<TState, TPhase>,
  { turns }: { readonly turns: number },
): Policy<TState, TPhase> {
  return mapDecisions(policy, (decide, { run, policy: name }) => {
    const last = run.nudges.findLast((sent) => sent.policy === name);
    const quiet = last !== undefined && run.turn - last.turn < turns;
    return quiet ? decide().filter(({ decision }) => decision !== "nudge") : decide();
  });
}
