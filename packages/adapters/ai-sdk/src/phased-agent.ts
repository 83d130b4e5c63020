import { runFrom, type RunSource } from "@phasekit/core/adapter";
import { unknownAgent } from "./errors.ts";
import { type CallContext, type PhaseOptions, withPhases } from "./with-phases.ts";

interface Agent {
  readonly generate: (call: object) => unknown;
  readonly stream: (call: object) => unknown;
}

/**
 * An agent whose calls each have a run: pass a function when it is called more than once. Your agent stays as it is.
 * Steering belongs to a call and is ignored in an agent's settings, so each call gets its own.
 *
 * @example
 * const agent = phasedAgent(() => createRun({ policies }), new ToolLoopAgent({ model, tools }), { createSteering: experimental_createSteering });
 * @throws UNKNOWN_AGENT when the agent's settings cannot be found; RUN_ENDED from a call when its run has ended.
 */
export function phasedAgent<TAgent extends object>(source: RunSource<CallContext>, agent: TAgent, options: PhaseOptions = {}): TAgent {
  const { settings } = agent as { readonly settings?: object };
  if (typeof settings !== "object") throw unknownAgent();
  const Kind = agent.constructor as new (settings: object) => Agent;

  /** The agent for one call, with a run of its own. */
  const start = (call: object): { readonly made: Agent; readonly call: object } => {
    const run = runFrom(source, { options: call });
    const { experimental_steering: given = options.createSteering?.() } = call as { readonly experimental_steering?: NonNullable<ReturnType<NonNullable<PhaseOptions["createSteering"]>>> };
    const { createSteering: _unused, ...rest } = options;
    const wrapped: object = withPhases(run, { ...settings, ...(given !== undefined && { experimental_steering: given }) }, rest);
    return { made: new Kind(wrapped), call: given === undefined ? call : { ...call, experimental_steering: given } };
  };
  const overrides = {
    generate: (given: object): unknown => {
      const { made, call } = start(given);
      return made.generate(call);
    },
    stream: (given: object): unknown => {
      const { made, call } = start(given);
      return made.stream(call);
    },
  };
  return new Proxy(agent, {
    get: (target, key) => (key === "generate" || key === "stream" ? overrides[key] : (Reflect.get(target, key, target) as unknown)),
  });
}
