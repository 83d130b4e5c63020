import { duplicatePolicy, invalidOption, unknownGuard, unknownPhase } from "./errors.ts";
import { graphPolicies } from "./graph-policies.ts";
import type { Interpreter } from "./interpreter.ts";
import { nameTableInterpreter } from "./name-table-interpreter.ts";
import { edgesFrom, type PhaseGraph } from "./phase-graph.ts";
import { budget } from "./policies/budget.ts";
import type { Policy } from "./policy.ts";
import type { RunOptions } from "./run.ts";
import { type Limits, type Mode, strictestLimits } from "./run-view.ts";

const MODES: readonly Mode[] = ["observe", "nudge", "gate"];

/** The policies of a run: those its graph asks for, those it was given, and the bounds a parent sets. */
export function collectPolicies<TPhase extends string>(options: RunOptions<TPhase>, graph: PhaseGraph, inherited: Limits = {}): readonly Policy[] {
  const { policies = [] } = options;
  if (!Array.isArray(policies)) throw invalidOption("policies", "it must be a list of policies");
  const given = policies.flat() as readonly Policy[];
  for (const policy of given as readonly unknown[]) {
    if ((typeof policy !== "object" && typeof policy !== "function") || policy === null) throw invalidOption("policies", `one of them is ${String(policy)}, not a policy`);
  }
  const names = new Set(given.map(({ name }) => name));
  const own = graphPolicies(graph).filter(({ name }) => !names.has(name));
  // What a parent has left binds its children, whether or not they have a budget of their own.
  const bound = Object.keys(inherited).length > 0 && !names.has("budget") ? [budget(inherited)] : [];
  return [...own, ...given, ...bound];
}

/** Throws for what is wrong with the options of a run. */
export function checkOptions({ graph, mode, policies, id }: { readonly graph: PhaseGraph; readonly mode: Mode; readonly policies: readonly Policy[]; readonly id: string }): void {
  if (!MODES.includes(mode)) throw invalidOption("mode", `"${mode}" is not one of ${MODES.join(", ")}`);
  if (typeof id !== "string" || id === "") throw invalidOption("id", "it must be a text that is not empty");
  const phases = Object.keys(graph.phases);
  const known = (phase: string, where?: string): void => {
    if (!Object.hasOwn(graph.phases, phase)) throw unknownPhase(phase, phases, where);
  };
  known(graph.initial);
  const guards = new Set(policies.flatMap((policy) => Object.keys(policy.guards ?? {})));
  for (const phase of phases) {
    if (!Array.isArray(graph.phases[phase]?.next)) throw invalidOption(`graph.phases.${phase}.next`, "it must be a list of the phases that may follow; an empty one ends the run");
    for (const { to, guard } of edgesFrom(graph, phase)) {
      known(to);
      if (typeof guard === "string" && !guards.has(guard)) throw unknownGuard(guard, [...guards]);
    }
  }
  for (const { after, visit, before } of graph.required ?? []) for (const phase of [after, visit, ...(before === "end" ? [] : [before])]) known(phase);
  const names = new Set<string>();
  for (const policy of policies) {
    // A factory that was not called has a name too.
    if (typeof policy === "function") throw invalidOption("policies", `"${(policy as { name: string }).name}" is a function: call it`);
    if (typeof (policy as Policy | undefined)?.name !== "string" || policy.name === "") throw invalidOption("policies", "a policy needs a name");
    if (names.has(policy.name)) throw duplicatePolicy(policy.name);
    names.add(policy.name);
    for (const phase of (policy.phases ?? []) as readonly string[]) known(phase, `Policy "${policy.name}" mentions a phase the graph lacks: it`);
  }
}

/** The interpreters of one run, each with a memory of its own. */
export function interpretersOf({ interpret }: Pick<RunOptions, "interpret">): readonly Interpreter[] {
  if (interpret === undefined) return [nameTableInterpreter()];
  return [interpret].flat().map((source) => (typeof source === "function" ? source() : (source)));
}

/** The limits in force: the strictest of the policies' and of what a parent has left. */
export function limitsOf(policies: readonly Policy[], inherited: Limits = {}): Limits | undefined {
  const limits = strictestLimits([...policies.map(({ limits = {} }) => limits), inherited]);
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** A copy without the members that are undefined. */
export function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

type Parts = readonly { readonly name: string; readonly version?: string }[];

/** Which policies are new, gone or another version since the run began. */
export function changedParts(before: Parts, now: Parts): readonly string[] | undefined {
  const label = ({ name, version = "" }: Parts[number]): string => `${name}@${version}`;
  const old = new Set(before.map(label));
  const fresh = new Set(now.map(label));
  const changed = [...[...fresh].filter((part) => !old.has(part)), ...[...old].filter((part) => !fresh.has(part)).map((part) => `-${part}`)];
  return changed.length === 0 ? undefined : changed;
}
