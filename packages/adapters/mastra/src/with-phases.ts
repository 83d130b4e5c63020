import {
  assertRunFirst,
  endOwnRun,
  failureToModelEvent,
  runFrom,
  type RunSource,
  shieldRun,
  systemClock,
  toObject,
} from "@phasekit/core/adapter";
import { completeIteration } from "./complete-iteration.ts";
import type { CallContext, Invocation, PhaseOptions } from "./invocation.ts";
import { createProcessor } from "./phase-processor.ts";
import { type ToolHooks, watchHooks } from "./tool-hooks.ts";

/** The members we use of an agent. */
export interface AgentLike {
  readonly generate: (...args: never[]) => Promise<unknown>;
  readonly stream: (...args: never[]) => Promise<unknown>;
}

/** The members of an agent that hold what a call would replace. */
interface ConfiguredAgent {
  readonly listConfiguredInputProcessors?: (context: unknown) => Promise<readonly unknown[]>;
  readonly listConfiguredOutputProcessors?: (context: unknown) => Promise<readonly unknown[]>;
  readonly getConfiguredToolHooks?: () => ToolHooks | undefined;
}

/** How a call ended, as far as the host says so. */
interface CallEnd {
  readonly error?: unknown;
  readonly finishReason?: unknown;
}

type Method = (messages: unknown, options?: object) => Promise<unknown>;
type Handler = (event: unknown) => unknown;

/**
 * Puts a run into an agent of Mastra: returns an agent whose `generate()` and `stream()` ask it before each step, each
 * tool call and each finish. Your own processors, hooks and callbacks still run, and the agent stays unchanged. Pass a
 * function that returns a run to give every call its own, which ends with the call.
 *
 * @example
 * const agent = withPhases(run, new Agent({ id: "fixer", name: "Fixer", instructions, model, tools }));
 * const { text } = await trackRun(run, () => agent.generate("Fix the sum.", { maxSteps: 40 }));
 */
export function withPhases<TAgent extends AgentLike>(
  source: RunSource<CallContext>,
  agent: TAgent,
  options: PhaseOptions = {},
): TAgent {
  assertRunFirst(source, agent);
  const wrap =
    (method: "generate" | "stream"): Method =>
    async (messages, given = {}) => {
      const run = runFrom(source, { messages, options: given });
      const { clock = systemClock } = options;
      const invocation: Invocation = {
        run,
        options,
        clock,
        turn: undefined,
        answered: false,
        asked: clock(),
        model: undefined,
        reasoning: "",
        objection: undefined,
        closed: false,
      };
      const close = ({ error, finishReason }: CallEnd): void => {
        if (finishReason === "suspended") endOwnRun(source, run, { waitsFor: "A call needs an approval." });
        else endOwnRun(source, run, error === undefined ? {} : { error });
      };
      const isStream = method === "stream";
      const phased = await phasedOptions(invocation, agent as ConfiguredAgent, {
        given: toObject(given),
        ...(isStream && { close }),
      });
      try {
        const result = await (agent[method] as unknown as Method).call(agent, messages, phased);
        if (!isStream) close(toObject(result));
        return result;
      } catch (error) {
        failed(invocation, error);
        close({ error });
        throw error;
      }
    };
  const methods = { generate: wrap("generate"), stream: wrap("stream") };
  return new Proxy(agent, {
    get: (target, key) => {
      if (key === "generate" || key === "stream") return methods[key];
      const member: unknown = Reflect.get(target, key, target);
      // An agent has private members, so its methods need the agent itself as `this`.
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

interface OptionsContext {
  readonly given: Readonly<Record<string, unknown>>;
  /** Called at the end of a stream. */
  readonly close?: (end: CallEnd) => void;
}

/** The options of a call with the run in them. A list in the options replaces the agent's own, so both are named. */
async function phasedOptions(
  invocation: Invocation,
  agent: ConfiguredAgent,
  { given, close }: OptionsContext,
): Promise<object> {
  const { requestContext } = given;
  const processor = createProcessor(invocation);
  const inputs = given["inputProcessors"] ?? (await agent.listConfiguredInputProcessors?.(requestContext)) ?? [];
  const outputs = given["outputProcessors"] ?? (await agent.listConfiguredOutputProcessors?.(requestContext)) ?? [];
  const hooks = { ...agent.getConfiguredToolHooks?.(), ...toObject(given["hooks"]) };
  const fail = (error: unknown): void => {
    failed(invocation, error);
    close?.({ error });
  };
  /** Runs the caller's own callback first. */
  const before =
    (theirs: unknown, ours: (event: unknown) => void): Handler =>
    async (event) => {
      try {
        await (theirs as Handler | undefined)?.(event);
      } finally {
        ours(event);
      }
    };
  return {
    ...given,
    inputProcessors: [...(inputs as readonly unknown[]), processor],
    outputProcessors: [...(outputs as readonly unknown[]), processor],
    hooks: watchHooks(invocation, hooks),
    onIterationComplete: completeIteration(invocation, given["onIterationComplete"] as Handler | undefined),
    onError: before(given["onError"], (event) => fail(toObject(event)["error"] ?? event)),
    onAbort: before(given["onAbort"], () =>
      fail(Object.assign(new Error("The call was aborted."), { name: "AbortError" })),
    ),
    ...(close !== undefined && { onFinish: before(given["onFinish"], (event) => close(toObject(event))) }),
  };
}

/** Records a model call without an answer. */
function failed(invocation: Invocation, error: unknown): void {
  if (invocation.turn === undefined) return;
  invocation.turn = undefined;
  const { run, clock, asked } = invocation;
  const { attempt, record } = shieldRun(run);
  attempt("model.failed", () => record({ ...failureToModelEvent(error), durationMs: clock() - asked }), false);
}
