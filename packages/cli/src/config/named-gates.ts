import type { Policy, RunOptions } from "@phasekit/core";
import {
  checksKept,
  ciGreen,
  claimsTrue,
  committed,
  diffNotEmpty,
  pullRequestOpen,
  pushed,
  testsFresh,
  testsKept,
  todosDone,
} from "@phasekit/tracker";
import type { PolicySet } from "../run-presets.ts";
import type { GateName } from "./gate-names.ts";

const gates: Readonly<Record<GateName, () => Policy>> = {
  "tests-fresh": testsFresh,
  "tests-kept": testsKept,
  "claims-true": claimsTrue,
  "todos-done": todosDone,
  "diff-not-empty": diffNotEmpty,
  "checks-kept": checksKept,
  committed,
  pushed,
  "pull-request-open": pullRequestOpen,
  "ci-green": ciGreen,
};

/** Adds the gates that a config names to the policies of a set. A gate that the set has stays as it is there. */
export function withGates({ name, options }: PolicySet, names: readonly GateName[]): PolicySet {
  if (names.length === 0) return { name, options };
  // Made once: runs with the same policies share the plan of them.
  const made = new Map(names.map((gate) => [gate as string, gates[gate]()]));
  const add = (given: RunOptions): RunOptions => {
    const policies = (given.policies ?? []).flat();
    const known = new Set(policies.map((policy) => policy.name));
    return {
      ...given,
      policies: [...policies, ...[...made].flatMap(([gate, made]) => (known.has(gate) ? [] : [made]))],
    };
  };
  return { name, options: (mode) => add(options(mode)) };
}
