import type { Decision } from "../decision.ts";
import type { HostEvent } from "../../events/run-event.ts";
import { COMBINED, type Deciders, type Policy } from "../policy.ts";
import type { RunView } from "../../view/run-view.ts";
import { named } from "./named.ts";

type AnyDecider = (
  run: RunView<string>,
  state: unknown,
  event: HostEvent,
) => Decision | readonly Decision[] | undefined;

/** Where a decision is made. */
export interface DecidingContext {
  readonly run: RunView<string>;
  readonly state: unknown;
  readonly event: HostEvent;
  /** The name it decides under; its earlier decisions are recorded under this name. */
  readonly policy: string;
}

/** The base of every combinator: a policy with its decisions changed. `decide` asks the policy itself. */
export function mapDecisions<TState, TPhase extends string>(
  policy: Policy<TState, TPhase>,
  change: (decide: () => readonly Decision[], context: DecidingContext) => readonly Decision[],
): Policy<TState, TPhase> {
  const decideAs = (name: string): Deciders<TState, TPhase> => {
    const entries = Object.entries(named(policy, name).decide ?? {}) as [string, AnyDecider | undefined][];
    const changed = entries.flatMap(([type, decide]): [string, AnyDecider][] =>
      decide === undefined
        ? []
        : [
            [
              type,
              (run, state, event) =>
                change(() => toList(decide(run, state, event)), { run, state, event, policy: name }),
            ],
          ],
    );
    // The keys and what they return are those of the policy; only TypeScript cannot follow Object.entries.
    return Object.fromEntries(changed);
  };
  return { ...policy, decide: decideAs(policy.name), [COMBINED]: { ...policy[COMBINED], decideAs } };
}

/** Decisions as a list, however a policy returned them. */
export function toList(decisions: Decision | readonly Decision[] | undefined): readonly Decision[] {
  return decisions === undefined ? [] : [decisions].flat();
}
