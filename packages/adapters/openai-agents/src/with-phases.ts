import type { RunPort } from "@phasekit/core";
import {
  assertRunFirst,
  endOwnRun,
  type LooseObject,
  runFrom,
  type RunSource,
  systemClock,
  toObject,
} from "@phasekit/core/adapter";
import { unknownRunner } from "./errors.ts";
import { watchErrorHandlers } from "./error-handlers.ts";
import type { CallContext, Invocation, ModelProvider, PhaseOptions } from "./invocation.ts";
import { userItem } from "./items.ts";
import { dispatchModel, observeProvider, tagSettings } from "./observe-model.ts";
import { isRunState, resumeState } from "./resume-state.ts";
import { tagContext } from "./run-context.ts";
import { markAsked, objectionTo } from "./run-until-verified.ts";
import { type InputFilter, turnFilter } from "./take-turn.ts";
import { formatToolErrors } from "./unmade-calls.ts";
import { watchAgents } from "./watch-agents.ts";

/** The members we use of a `Runner`. */
export interface RunnerLike {
  readonly config: object;
  readonly run: (...args: never[]) => Promise<unknown>;
  readonly on: (...args: never[]) => unknown;
  readonly emit: (...args: never[]) => unknown;
}

/** The options of `run()` we read. All others pass through. */
interface RunOptions {
  readonly stream?: boolean;
  readonly maxTurns?: number | null;
  readonly session?: unknown;
  readonly context?: unknown;
  readonly conversationId?: string;
  readonly previousResponseId?: string;
  readonly callModelInputFilter?: InputFilter;
}

/** The SDK's limit for calls without `maxTurns`. */
const DEFAULT_MAX_TURNS = 10;

/**
 * Puts a run into a `Runner` of the OpenAI Agents SDK: returns a runner whose `run()` asks it before each turn, each
 * call of a function and each finish. A vetoed finish continues with the objection; for a streamed run, use
 * `runUntilVerified`. Your own filter, guardrails, handlers and listeners still run, and other runs of the same agents
 * are not watched. Pass a function that returns a run to give every call its own, which ends with the call.
 *
 * @example
 * const runner = withPhases(run, new Runner());
 * const { finalOutput } = await trackRun(run, () => runner.run(agent, "Fix the sum.", { maxTurns: 40 }));
 * @throws UNKNOWN_RUNNER if the object is not a runner. `run()` throws RUN_ENDED if the run has ended.
 */
export function withPhases<TRunner extends RunnerLike>(
  source: RunSource<CallContext>,
  runner: TRunner,
  options: PhaseOptions = {},
): TRunner {
  assertRunFirst(source, runner);
  if (typeof (runner as Partial<TRunner> | undefined)?.run !== "function" || typeof runner.config !== "object")
    throw unknownRunner();
  const call = async (agent: object, input: unknown, given: RunOptions = {}): Promise<unknown> => {
    const run = runFrom(source, { agent, input, options: given });
    try {
      const result = await runPhased(run, runner, { agent, input, given, options });
      if (given.stream === true) endWithStream(source, run, result);
      else closeRun(source, run, result);
      return result;
    } catch (error) {
      endOwnRun(source, run, { error });
      throw error;
    }
  };
  return new Proxy(runner, {
    get: (target, key) => {
      if (key === "run") return call;
      const member: unknown = Reflect.get(target, key, target);
      // A runner has private members, so its methods need the runner itself as `this`.
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

interface PhasedCall {
  readonly agent: object;
  readonly input: unknown;
  readonly given: RunOptions;
  readonly options: PhaseOptions;
}

/** Ends the run of a call, or sets it aside if the call waits for approvals. */
function closeRun(source: RunSource<CallContext>, run: RunPort, result: unknown): void {
  const { interruptions } = toObject(result);
  if (Array.isArray(interruptions) && interruptions.length > 0)
    endOwnRun(source, run, { waitsFor: "A call needs an approval." });
  else endOwnRun(source, run);
}

function endWithStream(source: RunSource<CallContext>, run: RunPort, stream: unknown): void {
  const { completed } = toObject(stream);
  void Promise.resolve(completed).then(
    () => closeRun(source, run, stream),
    (error: unknown) => endOwnRun(source, run, { error }),
  );
}

async function runPhased(
  run: RunPort,
  runner: RunnerLike,
  { agent, input, given, options }: PhasedCall,
): Promise<unknown> {
  const { clock = systemClock } = options;
  const invocation: Invocation = {
    run,
    options,
    clock,
    provider: toObject(runner.config)["modelProvider"] as ModelProvider,
    startAgent: agent,
    agent,
    active: agent,
    turn: undefined,
    turns: 0,
    closed: false,
    halted: false,
    handled: false,
  };
  const phased = phasedRunner(invocation, runner);
  watchAgents(agent);
  if (isRunState(input)) resumeState(invocation, input);
  const limit = given.maxTurns === undefined ? DEFAULT_MAX_TURNS : given.maxTurns;
  let next = { agent, input, options: given };
  for (;;) {
    const result = await phased(next.agent, next.input, next.options);
    // The caller reads the stream first, then asks with `runUntilVerified`.
    if (given.stream === true) return result;
    if (invocation.handled) {
      markAsked(result);
      return result;
    }
    const objection = objectionTo(run, result, { canVeto: limit === null || invocation.turns < limit });
    if (objection === undefined) return result;
    next = {
      ...continueWith(result, given, objection),
      agent: toObject(result)["lastAgent"] as object,
    };
    if (limit !== null) next.options = { ...next.options, maxTurns: limit - invocation.turns };
  }
}

/** The input that continues a vetoed run. A session or the provider may hold what was said before. */
function continueWith(result: unknown, options: RunOptions, text: string): { input: unknown; options: RunOptions } {
  const objection = userItem(text);
  const { history, lastResponseId } = toObject(result);
  if (options.previousResponseId !== undefined && typeof lastResponseId === "string")
    return { input: [objection], options: { ...options, previousResponseId: lastResponseId } };
  if (options.session !== undefined || options.conversationId !== undefined) return { input: [objection], options };
  return { input: [...(Array.isArray(history) ? (history as readonly unknown[]) : []), objection], options };
}

type RunFunction = (agent: object, input: unknown, options: RunOptions) => Promise<unknown>;
type RunnerClass = new (config: object) => RunnerLike;

const events = ["agent_start", "agent_end", "agent_handoff", "agent_tool_start", "agent_tool_end"] as const;

/** A runner for one invocation: only the config holds models. The caller's runner still emits its events. */
function phasedRunner(invocation: Invocation, runner: RunnerLike): RunFunction {
  const config = toObject(runner.config);
  const Kind = runner.constructor as RunnerClass;
  const phased = new Kind({
    ...givenConfig(config, toObject(new Kind({ modelProvider: config["modelProvider"] }).config)),
    modelProvider: observeProvider(invocation.provider),
    model: dispatchModel(config["model"]),
    modelSettings: tagSettings(invocation, config["modelSettings"]),
  });
  for (const event of events) {
    const forward = (...args: readonly unknown[]): unknown => {
      if (event === "agent_handoff") handOff(invocation, args[2]);
      return (runner.emit as (...args: readonly unknown[]) => unknown)(event, ...args);
    };
    (phased.on as (event: string, listener: typeof forward) => unknown)(event, forward);
  }
  return (agent, input, options) => {
    const theirs = options.callModelInputFilter ?? (config["callModelInputFilter"] as InputFilter | undefined);
    const partial = options.conversationId !== undefined || options.previousResponseId !== undefined;
    return (phased.run as unknown as RunFunction)(agent, input, {
      ...options,
      context: tagContext(invocation, options.context),
      ...watchErrorHandlers(invocation, options),
      ...formatToolErrors(invocation, { ...config, ...options }),
      callModelInputFilter: turnFilter(invocation, { theirs, partial }),
    });
  };
}

/** The config without its defaults: a trace of the caller must not be renamed to them. */
function givenConfig(config: LooseObject, defaults: LooseObject): object {
  return Object.fromEntries(Object.entries(config).filter(([name, value]) => value !== defaults[name]));
}

/** A hand-off may go to an agent that no list names. */
function handOff(invocation: Invocation, target: unknown): void {
  watchAgents(target);
  invocation.active = target as object;
}
