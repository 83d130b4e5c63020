import { defined, endOwnRun, runFrom, type RunSource, toObject } from "@phasekit/core/adapter";
import { endWithStream, type StreamedCall } from "./end-with-stream.ts";
import { unknownAgent } from "./errors.ts";
import { type CallContext, type PhaseOptions, type Steering, wrapOptions } from "./wrap-options.ts";

interface Agent {
  readonly generate: (call: object) => unknown;
  readonly stream: (call: object) => unknown;
}

/** One call of an agent. */
interface StartedCall extends StreamedCall {
  /** Ends the run, if the call owns it. */
  readonly end: (error?: unknown) => void;
}

/** True for an agent of the SDK; options of a call have no `generate`. */
export function isAgent(value: object): boolean {
  return typeof toObject(value)["generate"] === "function";
}

/**
 * Returns an agent whose calls each get a run. A run that a function returned ends with its call. Your agent does not
 * change. The SDK ignores steering in an agent's settings, so each call gets its own.
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
  const start = (call: object): StartedCall => {
    const run = runFrom(source, { options: call });
    const end = (error?: unknown): void => endOwnRun(source, run, error === undefined ? {} : { error });
    const { experimental_steering: given = options.createSteering?.() } = call as {
      readonly experimental_steering?: Steering;
    };
    const { createSteering: _unused, ...rest } = options;
    const wrapped: object = wrapOptions(run, { ...settings, ...defined({ experimental_steering: given }) }, rest);
    return { settings: wrapped, call: given === undefined ? call : { ...call, experimental_steering: given }, end };
  };
  const overrides = {
    generate: (given: object): unknown => {
      const { settings: prepared, call, end } = start(given);
      return endWith(() => new Kind(prepared).generate(call), { end, failed: end });
    },
    stream: (given: object): unknown => {
      const { end, ...started } = start(given);
      const { settings: prepared, call } = endWithStream(started, end);
      return endWith(() => new Kind(prepared).stream(call), { failed: end });
    },
  };
  return new Proxy(agent, {
    get: (target, key) =>
      key === "generate" || key === "stream" ? overrides[key] : (Reflect.get(target, key, target) as unknown),
  });
}

/** Calls the host, and reports its end or its failure. Returns what the host returns: a promise, or a value. */
function endWith(
  work: () => unknown,
  { end, failed }: { readonly end?: () => void; readonly failed: (error: unknown) => void },
): unknown {
  const fail = (error: unknown): never => {
    failed(error);
    throw error;
  };
  try {
    const result = work();
    return result instanceof Promise ? result.then((value: unknown) => (end?.(), value), fail) : result;
  } catch (error) {
    return fail(error);
  }
}
