import type { Decision } from "../decision.ts";
import type { RunEvent } from "../../events/run-event.ts";
import { ownValue } from "../../text/own-value.ts";
import { COMBINED, type Policy, type TextWatcher } from "../policy.ts";
import { type RunView, strictestLimits } from "../../view/run-view.ts";
import { toList } from "./map-decisions.ts";
import { named } from "./named.ts";

type AnyObserver = (state: unknown, event: RunEvent, run: RunView) => void;
type Handlers<T> = Readonly<Record<string, T | undefined>>;
type AnyDecider = (run: RunView, state: unknown, event: RunEvent) => Decision | readonly Decision[] | undefined;

/** Asks policies in order and returns the first decisions. The policies share one name, mode and set of episodes. */
export function firstOf<TPhase extends string>(
  name: string,
  given: readonly Policy<unknown, TPhase>[],
): Policy<unknown, TPhase> {
  // Earlier decisions of each are recorded under the name of the whole.
  const policies = given.map((policy) => named(policy, name));
  const keys = (member: "observe" | "decide"): readonly string[] => [
    ...new Set(policies.flatMap((policy) => Object.keys(policy[member] ?? {}))),
  ];

  const observe = keys("observe").map((type): [string, AnyObserver] => [
    type,
    (state, event, run) => {
      policies.forEach((policy, index) =>
        ownValue((policy.observe ?? {}) as Handlers<AnyObserver>, type)?.((state as unknown[])[index], event, run),
      );
    },
  ]);
  const decide = keys("decide").map((type): [string, AnyDecider] => [
    type,
    (run, state, event) => {
      for (const [index, policy] of policies.entries()) {
        const decisions = toList(
          ownValue((policy.decide ?? {}) as Handlers<AnyDecider>, type)?.(run, (state as unknown[])[index], event),
        );
        if (decisions.length > 0) return decisions;
      }
      return [];
    },
  ]);
  return {
    name,
    mentions: [...new Set(policies.flatMap(({ mentions = [] }) => mentions))],
    initial: () => policies.map((policy) => policy.initial?.()),
    limits: strictestLimits(policies.map(({ limits = {} }) => limits)),
    ...(policies.every(({ resetOn }) => resetOn === "fresh-phase") && { resetOn: "fresh-phase" }),
    guards: Object.fromEntries(
      policies.flatMap(({ guards = {} }, index) =>
        Object.entries(guards).map(([guard, passes]) => [
          guard,
          (run: RunView, state: unknown) => passes(run, (state as unknown[])[index] as never),
        ]),
      ),
    ),
    ...(policies.some(({ watchText }) => watchText !== undefined) && {
      watchText: () => watchAll(policies.flatMap(({ watchText }) => watchText?.() ?? [])),
    }),
    [COMBINED]: { inner: policies.flatMap(({ key }, index) => (key === undefined ? [] : [{ key, index }])) },
    observe: Object.fromEntries(observe),
    decide: Object.fromEntries(decide),
    wakeAt: (run, state) => {
      const deadlines = policies.flatMap(
        (policy, index) => policy.wakeAt?.(run, (state as unknown[])[index] as never) ?? [],
      );
      return deadlines.length === 0 ? undefined : Math.min(...deadlines);
    },
  };
}

/** All of them see all of the text; the first finding counts. */
function watchAll(watchers: readonly TextWatcher[]): TextWatcher {
  return { push: (text) => watchers.map((watcher) => watcher.push(text)).find((finding) => finding !== undefined) };
}
