import { runFrom, type RunSource } from "@phasekit/core/adapter";
import { unknownAgent } from "./errors.ts";
import { partIn } from "./model-parts.ts";
import { type CallContext, type PhaseOptions, type Steering, wrapOptions } from "./wrap-options.ts";

interface Agent {
  readonly generate: (call: object) => unknown;
  readonly stream: (call: object) => unknown;
}

/** True for an agent of the SDK; options of a call have no `generate`. */
export function isAgent(value: object): boolean {
  return typeof partIn(value)["generate"] === "function";
}

/**
 * Returns an agent whose calls each get a run. Your agent does not change. The SDK ignores steering in an agent's
 * settings, so each call gets its own.
 *
 * @throws UNKNOWN_AGENT if the agent's settings cannot be found; RUN_ENDED from a call if its run has ended.
 */
export function wrapAgent<TAgent extends object>(
  source: RunSource<CallContext>,
  agent: TAgent,
  options: PhaseOptions,
): TAgent {
  const { settings } = agent as { readonly settings?: object };
  if (typeof settings !== "object") throw unknownAgent();
  const Kind = agent.constructor as new (settings: object) => Agent;

  /** Makes the agent of one call, with its own run. */
  const start = (call: object): { readonly made: Agent; readonly call: object } => {
    const run = runFrom(source, { options: call });
    const { experimental_steering: given = options.createSteering?.() } = call as {
      readonly experimental_steering?: Steering;
    };
    const { createSteering: _unused, ...rest } = options;
    const wrapped: object = wrapOptions(
      run,
      { ...settings, ...(given !== undefined && { experimental_steering: given }) },
      rest,
    );
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
    get: (target, key) =>
      key === "generate" || key === "stream" ? overrides[key] : (Reflect.get(target, key, target) as unknown),
  });
}
