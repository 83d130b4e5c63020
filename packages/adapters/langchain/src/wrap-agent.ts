import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { mergeConfigs } from "@langchain/core/runnables";
import { isGraphInterrupt } from "@langchain/langgraph";
import { endOwnRun, type RunSource } from "@phasekit/core/adapter";
import type { EndOptions } from "@phasekit/core";
import { type HostConfig, type Invocation, watchCall, type WatchedCall } from "./invocation.ts";
import { phaseMiddleware } from "./phase-middleware.ts";
import type { PhaseOptions } from "./take-turns.ts";

type Method = (input: unknown, config?: HostConfig, ...rest: readonly unknown[]) => unknown;

/** The members we use of an agent of `createAgent`. */
interface Agent {
  options: { readonly middleware?: readonly unknown[] };
  readonly withConfig: (config: object) => Agent;
}

const CALLS = new Set<PropertyKey>(["invoke", "stream", "streamEvents"]);

/** True for an agent of `createAgent`; its options have no `withConfig`. */
export function isAgent(value: object): value is Agent {
  const { options, withConfig } = value as Partial<Agent>;
  return typeof withConfig === "function" && typeof options === "object";
}

/**
 * Returns an agent with a run in it. A run that a function returned ends when its invocation ends: with its result, its
 * error or its abort. An interrupted invocation suspends it. Your agent does not change.
 */
export function wrapAgent(source: RunSource<Invocation>, agent: Agent, options: PhaseOptions<BaseChatModel>): Agent {
  return endWithCalls(source, withMiddleware(agent, phaseMiddleware(source, options)));
}

/** Makes the same agent with one more middleware. Only `withConfig` knows the agent's default config. */
function withMiddleware(agent: Agent, middleware: unknown): Agent {
  const { options } = agent;
  try {
    agent.options = { ...options, middleware: [middleware, ...(options.middleware ?? [])] };
    return agent.withConfig({});
  } finally {
    agent.options = options;
  }
}

function endWithCalls(source: RunSource<Invocation>, agent: Agent): Agent {
  return new Proxy(agent, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function") return member;
      // An agent has private members, so its methods need the agent itself as `this`.
      const method = member.bind(target) as Method;
      if (key === "withConfig") return (config: object) => endWithCalls(source, target.withConfig(config));
      if (!CALLS.has(key)) return method;
      return (input: unknown, config: HostConfig = {}, ...rest: readonly unknown[]) => {
        const call: WatchedCall = { source, runs: new Set() };
        return method(input, mergeConfigs(watchCall(config, call), { callbacks: [endOf(call)] }), ...rest);
      };
    },
  });
}

/** Returns a handler that ends the runs of a call with the first runnable it sees: the graph of the agent. */
function endOf({ source, runs }: WatchedCall): BaseCallbackHandler {
  let graph: string | undefined;
  let interrupted = false;
  const close = (id: string, failure: EndOptions): void => {
    if (id !== graph) return;
    for (const run of runs) {
      if (interrupted) endOwnRun(source, run, { waitsFor: "The graph was interrupted." });
      else endOwnRun(source, run, failure);
    }
  };
  const handler = BaseCallbackHandler.fromMethods({
    handleChainStart: (...[, , id]) => {
      graph ??= id;
    },
    handleChainEnd: (_outputs, id) => {
      close(id, {});
    },
    handleChainError: (error, id) => {
      // A tool can throw anything, including `null`.
      if (error !== null && isGraphInterrupt(error)) interrupted = true;
      close(id, { error, ...(isStepLimit(error) && { reason: "step_limit" }) });
    },
  });
  handler.name = "phasekit-calls";
  // The run has ended when the caller gets the result.
  handler.awaitHandlers = true;
  return handler;
}

/** True for the host's `recursionLimit`. */
function isStepLimit(error: unknown): boolean {
  return error instanceof Error && error.name === "GraphRecursionError";
}
