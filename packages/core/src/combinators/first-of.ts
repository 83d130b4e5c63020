import type { Decision } from "../decision.ts";
import type { RunEvent } from "../facts/run-event.ts";
import type { Policy } from "../policy.ts";
import type { RunView } from "../run-view.ts";
import { toList } from "./map-decisions.ts";

type AnyObserver = (state: unknown, event: RunEvent, run: RunView) => void;
type Handlers<T> = Readonly<Record<string, T | undefined>> | undefined;
type AnyDecider = (run: RunView, state: unknown, event: RunEvent) => Decision | readonly Decision[] | undefined;

/** Asks policies in order and takes the decisions of the first that has any. They share one name, mode and set of episodes. */
export function firstOf<TPhase extends string>(name: string, policies: readonly Policy<unknown, TPhase>[]): Policy<unknown, TPhase> {
  const keys = (member: "observe" | "decide"): readonly string[] => [...new Set(policies.flatMap((policy) => Object.keys(policy[member] ?? {})))];

  const observe = keys("observe").map((type): [string, AnyObserver] => [
    type,
    (state, event, run) => { policies.forEach((policy, index) => (policy.observe as Handlers<AnyObserver>)?.[type]?.((state as unknown[])[index], event, run)); },
  ]);
  const decide = keys("decide").map((type): [string, AnyDecider] => [
    type,
    (run, state, event) => {
      for (const [index, policy] of policies.entries()) {
        const decisions = toList((policy.decide as Handlers<AnyDecider>)?.[type]?.(run, (state as unknown[])[index], event));
        if (decisions.length > 0) return decisions;
      }
      return [];
    },
  ]);
  return {
    name,
    phases: [...new Set(policies.flatMap(({ phases = [] }) => phases))],
    initial: () => policies.map((policy) => policy.initial?.()),
    inner: policies.flatMap(({ key }, index) => (key === undefined ? [] : [{ key, index }])),
    observe: Object.fromEntries(observe),
    decide: Object.fromEntries(decide),
    wakeAt: (run, state) => {
      const deadlines = policies.flatMap((policy, index) => policy.wakeAt?.(run, (state as unknown[])[index] as never) ?? []);
      return deadlines.length === 0 ? undefined : Math.min(...deadlines);
    },
  };
}
