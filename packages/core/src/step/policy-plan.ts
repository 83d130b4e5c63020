import type { Decision } from "../policies/decision.ts";
import { defined } from "../text/defined.ts";
import { duplicatePolicy, invalidOption, unknownGuard, unknownPhase } from "../errors.ts";
import type { EventType, RunEvent } from "../events/run-event.ts";
import { graphPolicies } from "../policies/graph-policies.ts";
import { isObject, toObject } from "../text/loose-object.ts";
import { edgesFrom, type PhaseGraph } from "../graph/phase-graph.ts";
import { inheritedBudget } from "../policies/limits.ts";
import { COMBINED, type Policy } from "../policies/policy.ts";
import { type Limits, type Mode, type RunView, strictestLimits } from "../view/run-view.ts";

/** Observers or deciders of one event type, in order. A policy is a place in the plan: its state belongs to the run. */
export type PlannedRow<T> = readonly { readonly place: number; readonly act: T }[];
export type AnyObserver = (state: unknown, event: RunEvent, run: RunView<string>) => unknown;
export type AnyDecider = (
  run: RunView<string>,
  state: unknown,
  event: RunEvent,
) => Decision | readonly Decision[] | undefined;
type AnyGuard = (run: RunView, state: never) => boolean | string;

/** All that is known of policies before a run begins, and the same in every run that has them. */
export interface PolicyPlan {
  readonly policies: readonly Policy[];
  /** As the header of a log names them. */
  readonly parts: readonly { readonly name: string; readonly version?: string }[];
  readonly observers: ReadonlyMap<EventType, PlannedRow<AnyObserver>>;
  readonly deciders: ReadonlyMap<EventType, PlannedRow<AnyDecider>>;
  /** Where the state with a key is: whose it is, and where within a combined state. */
  readonly readers: ReadonlyMap<string, { readonly place: number; readonly within?: number }>;
  readonly guards: ReadonlyMap<string, { readonly place: number; readonly guard: AnyGuard }>;
  /** The places of those that have deadlines. */
  readonly sleepers: readonly number[];
  /** Those that watch streamed text. */
  readonly watching: readonly Policy[];
  readonly modes: ReadonlyMap<string, Mode | undefined>;
  /** The names of those whose alerts are complete at every event. */
  readonly complete: ReadonlySet<string>;
  /** The strictest limits in force: of the policies, and of what a parent has left. */
  readonly limits: Limits;
}

interface CachedPlan {
  readonly graph: PhaseGraph;
  readonly given: readonly Policy[];
  readonly plan: PolicyPlan;
}

// Plans are cached, because planning is half the cost of a short run with the coding preset. A few plans are kept, the
// newest first; a table of weak references would cost more than it saves.
const known: CachedPlan[] = [];
const MAX_KNOWN = 8;

/**
 * The policies of a run: those its graph asks for, those it was given, and the bounds a parent sets.
 * @throws INVALID_OPTION, UNKNOWN_PHASE, UNKNOWN_GUARD, DUPLICATE_POLICY
 */
export function planPolicies(list: unknown, graph: PhaseGraph, inherited: Limits = {}): PolicyPlan {
  if (list !== undefined && !Array.isArray(list)) throw invalidOption("policies", "it must be a list of policies");
  const given = (list ?? []).flat() as readonly Policy[];
  const isBound = Object.keys(inherited).length > 0;
  const before = isBound ? undefined : known.find((set) => set.graph === graph && areSame(set.given, given));
  if (before !== undefined) return before.plan;
  const part = graphPart(graph);
  const policies = collectPolicies(given, part, isBound ? inherited : undefined);
  checkPolicies(policies, part, graph);
  const plan: PolicyPlan = {
    policies,
    parts: policies.map(({ name, version }) => defined({ name, version })),
    observers: rowsByType(policies, ({ observe }) => observe as Readonly<Record<string, AnyObserver>> | undefined),
    deciders: rowsByType(policies, ({ decide }) => decide as Readonly<Record<string, AnyDecider>> | undefined),
    readers: readersOf(policies),
    guards: new Map(
      policies.flatMap(({ guards }, place) =>
        Object.entries(guards ?? {}).map(([name, guard]) => [name, { place, guard }] as const),
      ),
    ),
    sleepers: policies.flatMap(({ wakeAt }, place) => (wakeAt === undefined ? [] : [place])),
    watching: policies.filter(({ watchText }) => watchText !== undefined),
    modes: new Map(policies.map(({ name, mode }) => [name, mode])),
    complete: new Set(policies.filter(({ alerts }) => alerts === "complete").map(({ name }) => name)),
    limits: strictestLimits([...policies.map(({ limits = {} }) => limits), inherited]),
  };
  if (!isBound && known.unshift({ graph, given, plan }) > MAX_KNOWN) known.pop();
  return plan;
}

const areSame = (before: readonly Policy[], now: readonly Policy[]): boolean =>
  before.length === now.length && before.every((policy, place) => policy === now[place]);

/** Policies a graph asks for, and those its edges need. */
interface GraphPart {
  readonly policies: readonly Policy[];
  /** Conditions its edges name; some policy has to provide them. */
  readonly guards: readonly string[];
}

/** Throws for what is wrong with a graph. */
function graphPart(graph: PhaseGraph): GraphPart {
  checkShape(graph);
  const phases = Object.keys(graph.phases);
  checkPhases(graph, [graph.initial]);
  const edges = phases.flatMap((phase) => edgesFrom(graph, phase));
  checkPhases(
    graph,
    edges.map(({ to }) => to),
  );
  checkPhases(
    graph,
    (graph.required ?? []).flatMap(({ after, visit, before: then }) => [
      after,
      visit,
      ...(then === "end" ? [] : [then]),
    ]),
  );
  return {
    policies: graphPolicies(graph),
    guards: edges.flatMap(({ guard }) => (typeof guard === "string" ? [guard] : [])),
  };
}

/** Throws for a graph that does not have the types it promises. `checkGraph` says more about one from a file. */
function checkShape(graph: unknown): void {
  const { initial, phases, required = [] } = toObject(graph);
  if (typeof initial !== "string" || !isObject(phases))
    throw invalidOption("graph", "it must be an object with the name of the `initial` phase and with `phases`");
  for (const [phase, spec] of Object.entries(phases)) {
    const { next } = toObject(spec);
    const option = `graph.phases.${phase}.next`;
    if (!Array.isArray(next))
      throw invalidOption(option, "it must be a list of the phases that may follow; an empty one ends the run");
    if (!next.every((edge) => typeof (isObject(edge) ? edge["to"] : edge) === "string"))
      throw invalidOption(option, "each entry must be the name of a phase, or an object with `to`");
  }
  const isVisit = (rule: unknown): boolean =>
    [toObject(rule)["after"], toObject(rule)["visit"], toObject(rule)["before"]].every(
      (name) => typeof name === "string",
    );
  if (!Array.isArray(required) || !required.every(isVisit))
    throw invalidOption("graph.required", "it must be a list of objects with `after`, `visit` and `before`");
}

function checkPhases(graph: PhaseGraph, phases: readonly string[], where?: string): void {
  for (const phase of phases)
    if (!Object.hasOwn(graph.phases, phase)) throw unknownPhase(phase, Object.keys(graph.phases), where);
}

function collectPolicies(given: readonly Policy[], part: GraphPart, inherited: Limits | undefined): readonly Policy[] {
  for (const policy of given as readonly unknown[]) {
    // A factory that was not called has a name too.
    if (typeof policy === "function") throw invalidOption("policies", `"${policy.name}" is a function: call it`);
    if (typeof policy !== "object" || policy === null)
      throw invalidOption("policies", `one of them is ${String(policy)}, not a policy`);
    const { name } = policy as Partial<Policy>;
    if (typeof name !== "string" || name === "") throw invalidOption("policies", "a policy needs a name");
  }
  const names = new Set(given.map(({ name }) => name));
  const own = part.policies.filter(({ name }) => !names.has(name));
  // The rest of a parent's budget binds its children, whether or not they have a budget of their own.
  const bound = inherited !== undefined && !names.has("budget") ? [inheritedBudget(inherited)] : [];
  return [...own, ...given, ...bound];
}

/** Throws for what is wrong with policies that are to work on a graph. */
function checkPolicies(policies: readonly Policy[], { guards }: GraphPart, graph: PhaseGraph): void {
  const provided = guards.length === 0 ? [] : policies.flatMap((policy) => Object.keys(policy.guards ?? {}));
  for (const guard of guards) if (!provided.includes(guard)) throw unknownGuard(guard, provided);
  const names = new Set<string>();
  for (const { name, mentions } of policies) {
    if (names.has(name)) throw duplicatePolicy(name);
    names.add(name);
    if (mentions !== undefined) checkPhases(graph, mentions, `Policy "${name}" mentions a phase the graph lacks: it`);
  }
}

function rowsByType<T>(
  policies: readonly Policy[],
  handlersOf: (policy: Policy) => Readonly<Record<string, T | undefined>> | undefined,
): ReadonlyMap<EventType, PlannedRow<T>> {
  const table = new Map<EventType, { place: number; act: T }[]>();
  for (const [place, policy] of policies.entries()) {
    const handlers = handlersOf(policy) ?? {};
    for (const type of Object.keys(handlers) as EventType[]) {
      const act = handlers[type];
      if (act === undefined) continue;
      const row = table.get(type);
      if (row === undefined) table.set(type, [{ place, act }]);
      else row.push({ place, act });
    }
  }
  return table;
}

function readersOf(policies: readonly Policy[]): PolicyPlan["readers"] {
  const readers = new Map<string, { readonly place: number; readonly within?: number }>();
  for (const [place, { key, [COMBINED]: { inner = [] } = {} }] of policies.entries()) {
    if (key !== undefined) readers.set(key.name, { place });
    for (const { key: innerKey, index } of inner) readers.set(innerKey.name, { place, within: index });
  }
  return readers;
}
