import type { Policy } from "../policy.ts";
import { mapDecisions } from "./map-decisions.ts";

export interface AtMostOptions {
  readonly times: number;
  /** Counts all nudges of a run, or each nudge in its own episode. @default "run" */
  readonly per?: "run" | "episode";
}

/** Lets a policy nudge at most `times` times in a run, or in an episode of a nudge. Other decisions pass. */
export function atMost<TState, TPhase extends string>(
  policy: Policy<TState, TPhase>,
  { times, per = "run" }: AtMostOptions,
): Policy<TState, TPhase> {
  if (per === "episode")
    return mapDecisions(policy, (decide) =>
      decide().map((decision) =>
        decision.decision === "nudge" ? { ...decision, times: Math.min(decision.times, times) } : decision,
      ),
    );
  return mapDecisions(policy, (decide, { run, policy: name }) =>
    run.nudgeCount(name) >= times ? decide().filter(({ decision }) => decision !== "nudge") : decide(),
  );
}
