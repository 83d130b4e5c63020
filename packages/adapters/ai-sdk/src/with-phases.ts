import { assertRunFirst, type RunSource } from "@phasekit/core/adapter";
import { isAgent, wrapAgent } from "./wrap-agent.ts";
import { type CallContext, type PhaseOptions, wrapOptions } from "./wrap-options.ts";

/**
 * Puts a run into the options of `generateText` or `streamText`, or into a `ToolLoopAgent`. Your own `prepareStep`,
 * `stopWhen` and callbacks still run. Wrap options again for every call. An agent is wrapped once: pass a function that
 * returns a run, and every call of the agent gets its own.
 *
 * @example
 * await trackRun(run, () => generateText(withPhases(run, { model, tools, prompt, stopWhen: stepCountIs(40) })));
 * @example
 * const agent = withPhases(() => createRun({ policies }), new ToolLoopAgent({ model, tools }));
 * @throws RUN_ENDED if the run has ended; UNKNOWN_AGENT if the settings of an agent cannot be found.
 */
export function withPhases<TWrapped extends object>(
  source: RunSource<CallContext>,
  wrapped: TWrapped,
  options: PhaseOptions = {},
): TWrapped {
  assertRunFirst(source, wrapped);
  return isAgent(wrapped) ? wrapAgent(source, wrapped, options) : wrapOptions(source, wrapped, options);
}
