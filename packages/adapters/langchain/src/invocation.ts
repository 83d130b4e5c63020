import type { RunPort } from "@phasekit/core";
import type { RunSource } from "@phasekit/core/adapter";

/** An invocation of an agent or a graph, passed to the function that returns its run. */
export interface Invocation {
  /** `configurable` of the host's config: the `thread_id` and the caller's own members. */
  readonly configurable: Readonly<Record<string, unknown>>;
  /** `context` of the host's config. */
  readonly context: unknown;
  /** The run whose tool call started this agent; absent at the top level. */
  readonly parent?: RunPort;
  /** The tool call that started it. */
  readonly call?: string;
}

/** The members we use of a config or runtime of the host. */
export interface HostConfig {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly context?: unknown;
  /** New for every invocation and passed to everything inside it: the only thing that identifies an invocation. */
  readonly writer?: unknown;
}

/** A tool call that may invoke other agents. */
export interface Delegation {
  readonly run: RunPort;
  readonly call: string;
  /** The runs of the agents it invoked, children of `run` or not. */
  readonly children: Set<RunPort>;
}

/** A call of an agent, as far as the agent's own wrapper sees it. */
export interface WatchedCall {
  readonly source: RunSource<Invocation>;
  /** The runs that the source returned for it. */
  readonly runs: Set<RunPort>;
}

const DELEGATION = "__phasekit_delegation";
const CALL = "__phasekit_call";

type RunsByPath = Map<string, RunPort>;
const runsByInvocation = new WeakMap<object, WeakMap<object, RunsByPath>>();

/** Returns the run of an invocation, also after its end: pending calls need an answer. The first call creates it. */
export function runOfInvocation(source: RunSource<Invocation>, config: HostConfig): RunPort {
  if (typeof source !== "function") return source;
  const runs = runsFor(source, config);
  const path = pathOf(config);
  const known = runs.get(path);
  if (known !== undefined) return known;
  const delegation = read(config, DELEGATION) as Delegation | undefined;
  const { configurable = {}, context } = config;
  const run = source({
    configurable,
    context,
    ...(delegation !== undefined && { parent: delegation.run, call: delegation.call }),
  });
  runs.set(path, run);
  if (run !== delegation?.run) delegation?.children.add(run);
  const watched = read(config, CALL) as WatchedCall | undefined;
  if (watched?.source === source) watched.runs.add(run);
  return run;
}

/** Returns a config that carries the delegation to the agents a tool invokes. */
export function delegate<TConfig extends HostConfig>(config: TConfig, delegation: Delegation): TConfig {
  return carry(config, DELEGATION, delegation);
}

/** Returns a config by which the call gets to know the runs that are made inside it. */
export function watchCall<TConfig extends HostConfig>(config: TConfig, call: WatchedCall): TConfig {
  return carry(config, CALL, call);
}

/** Puts a value into a config as a function: it is never serialized if the config is sent to a remote graph. */
function carry<TConfig extends HostConfig>(config: TConfig, key: string, value: unknown): TConfig {
  return { ...config, configurable: { ...config.configurable, [key]: () => value } };
}

function read({ configurable }: HostConfig, key: string): unknown {
  const found = configurable?.[key] as (() => unknown) | undefined;
  return found?.();
}

function runsFor(source: object, { writer }: HostConfig): RunsByPath {
  // Outside of a graph there is no writer: the source has one run.
  const invocation = typeof writer === "function" ? writer : source;
  const bySource = runsByInvocation.get(invocation) ?? new WeakMap<object, RunsByPath>();
  runsByInvocation.set(invocation, bySource);
  const runs = bySource.get(source) ?? new Map<string, RunPort>();
  bySource.set(source, runs);
  return runs;
}

/**
 * The path in nested graphs, without the node itself. An agent inside a tool has the writer of the outer agent, but its
 * own path for every invocation.
 */
function pathOf({ configurable }: HostConfig): string {
  const { checkpoint_ns: namespace } = configurable ?? {};
  return typeof namespace === "string" ? namespace.split("|").slice(0, -1).join("|") : "";
}
