import { type RunPort, runEnded } from "@phasekit/core";
import type { RunSource } from "@phasekit/core/adapter";

/** What is known about an invocation of an agent or a graph when a run is looked for. */
export interface Invocation {
  /** `configurable` of the host's config: the `thread_id`, and whatever the caller put there. */
  readonly configurable: Readonly<Record<string, unknown>>;
  /** `context` of the host's config. */
  readonly context: unknown;
  /** The run whose tool call started this agent; absent at the top. */
  readonly parent?: RunPort;
  /** The tool call that started it. */
  readonly call?: string;
}

/** A config or runtime of the host, as far as it is looked at. */
export interface HostConfig {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly context?: unknown;
  /** Made anew for every invocation, and handed to everything inside it: nothing else tells invocations apart. */
  readonly writer?: unknown;
}

/** A tool call on whose behalf other agents may be invoked. */
export interface Delegation {
  readonly run: RunPort;
  readonly call: string;
  /** The runs of the agents invoked for it, children or not. */
  readonly children: Set<RunPort>;
}

const DELEGATION = "__phasekit_delegation";

type RunsByPlace = Map<string, RunPort>;
const runsByInvocation = new WeakMap<object, WeakMap<object, RunsByPlace>>();

/**
 * The run of the invocation a turn belongs to: made by the first who asks, the same for all that follow.
 *
 * @throws RUN_ENDED when that run has ended.
 */
export function runOfTurn(source: RunSource<Invocation>, config: HostConfig): RunPort {
  const run = runOfInvocation(source, config);
  if (run.view.status === "ended") throw runEnded(run.id);
  return run;
}

/** The run of an invocation, also when it has ended: a call under way is still answered. */
export function runOfInvocation(source: RunSource<Invocation>, config: HostConfig): RunPort {
  if (typeof source !== "function") return source;
  const runs = runsFor(source, config);
  const place = placeOf(config);
  const known = runs.get(place);
  if (known !== undefined) return known;
  const delegation = delegationOf(config);
  const { configurable = {}, context } = config;
  const run = source({ configurable, context, ...(delegation !== undefined && { parent: delegation.run, call: delegation.call }) });
  runs.set(place, run);
  if (run !== delegation?.run) delegation?.children.add(run);
  return run;
}

/**
 * The config with word of the tool call it is handed to, for the agents invoked with it. Tools may send their config to
 * a remote graph, and a run is nobody's business there: it is in a function, which no serializer takes along.
 */
export function delegate<TConfig extends HostConfig>(config: TConfig, delegation: Delegation): TConfig {
  return { ...config, configurable: { ...config.configurable, [DELEGATION]: () => delegation } };
}

function delegationOf({ configurable }: HostConfig): Delegation | undefined {
  const found = configurable?.[DELEGATION] as (() => Delegation) | undefined;
  return found?.();
}

function runsFor(source: object, { writer }: HostConfig): RunsByPlace {
  // Outside of a graph there is no writer: then a source has one run.
  const invocation = typeof writer === "function" ? writer : source;
  const bySource = runsByInvocation.get(invocation) ?? new WeakMap<object, RunsByPlace>();
  runsByInvocation.set(invocation, bySource);
  const runs = bySource.get(source) ?? new Map<string, RunPort>();
  bySource.set(source, runs);
  return runs;
}

/**
 * Where in nested graphs something runs, without the node itself. An agent inside a tool has the writer of the outer one,
 * and a place of its own every time it is invoked.
 */
function placeOf({ configurable }: HostConfig): string {
  const { checkpoint_ns: namespace } = configurable ?? {};
  return typeof namespace === "string" ? namespace.split("|").slice(0, -1).join("|") : "";
}
