import type { Policy } from "../policy.ts";
import { mapDecisions } from "./map-decisions.ts";

/** Lets a policy decide in some phases only; it observes everywhere. A phase the graph lacks is a compile error. */
export function inPhase<const TPhase extends string, TState, TMentioned extends string>(
  phases: TPhase | readonly TPhase[],
  policy: Policy<TState, TMentioned>,
): Policy<TState, TPhase | TMentioned> {
  const wanted = [phases].flat() as readonly TPhase[];
  return {
    ...mapDecisions(policy, (decide, { run }) => (run.isIn(...wanted) ? decide() : [])),
    mentions: [...new Set([...(policy.mentions ?? []), ...wanted])],
  };
}
