import type { Decision } from "../decision.ts";
import type { HostEvent } from "../facts/run-event.ts";
import type { Policy } from "../policy.ts";
import type { RunView } from "../run-view.ts";

type AnyDecider = (run: RunView<string>, state: unknown, event: HostEvent) => Decision | readonly Decision[] | undefined;

/** Where a decision is made. */
export interface DecidingContext {
  readonly run: RunView<string>;
  readonly state: unknown;
  readonly event: HostEvent;
}

/** The one thing combinators are built on: the same policy with its decisions changed. `decide` asks the policy itself. */
export function mapDecisions<TState, TPhase extends string>(
  policy: Policy<TState, TPhase>,
  change: (decide: () => readonly Decision[], context: DecidingContext) => readonly Decision[],
): Policy<TState, TPhase> {
  const entries = Object.entries(policy.decide ?? {}) as [string, AnyDecider][];
  const changed = entries.map(([type, decide]): [string, AnyDecider] => [
    type,
    (run, state, event) => change(() => toList(decide(run, state, event)), { run, state, event }),
  ]);
  // The keys and what they return are those of the policy; only TypeScript cannot follow Object.entries.
  return { ...policy, decide: Object.fromEntries(changed) };
}

/** Decisions as a list, however a policy returned them. */
export function toList(decisions: Decision | readonly Decision[] | undefined): readonly Decision[] {
  return decisions === undefined ? [] : [decisions].flat();
}
