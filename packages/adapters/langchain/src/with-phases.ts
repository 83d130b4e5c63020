import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { assertRunFirst, type RunSource } from "@phasekit/core/adapter";
import type { Invocation } from "./invocation.ts";
import { phaseMiddleware } from "./phase-middleware.ts";
import type { PhaseOptions } from "./take-turns.ts";
import { isAgent, wrapAgent } from "./wrap-agent.ts";
import { type MessagesState, type ModelNode, type WrappedNode, wrapNode } from "./wrap-node.ts";

/**
 * Puts a run into the model node of your own graph. The node gets the nudges in `state.messages`. Its third parameter
 * has the phase's model and says if this is the closing turn. After a veto the node is called again, within one step of
 * the graph. Pass `config` on to the model, so that a streamed answer is recorded completely.
 *
 * @example
 * graph.addNode("agent", withPhases(run, async ({ messages }, config, { toolChoice }) => ({
 *   messages: [await model.bindTools(tools, { tool_choice: toolChoice }).invoke(messages, config)],
 * })));
 * @throws RUN_ENDED from the node if the run has ended.
 */
export function withPhases<TState extends MessagesState, TUpdate, TModel = unknown>(
  source: RunSource<Invocation>,
  node: ModelNode<TState, TUpdate, TModel>,
  options?: PhaseOptions<TModel>,
): WrappedNode<TState, TUpdate>;
/**
 * Puts a run into an agent of `createAgent`, or into the options of `createAgent`: adds `phaseMiddleware` as the first
 * middleware. Pass an agent and a function that returns a run: every invocation gets its own run, which ends with it.
 * With options, Phasekit does not see the end of an invocation: end the run with `trackRun`.
 *
 * @example
 * const agent = withPhases(() => createRun({ policies }), createAgent({ model, tools }));
 * @throws RUN_ENDED from an invocation if its run has ended, as the `cause` of the error LangChain throws.
 */
export function withPhases<const TAgent extends object>(
  source: RunSource<Invocation>,
  agentOrOptions: TAgent,
  options?: PhaseOptions<BaseChatModel>,
): TAgent;
export function withPhases(
  source: RunSource<Invocation>,
  wrapped: ModelNode<MessagesState, unknown, BaseChatModel> | { readonly middleware?: readonly unknown[] },
  options: PhaseOptions<BaseChatModel> = {},
): unknown {
  assertRunFirst(source, wrapped);
  if (typeof wrapped === "function") return wrapNode(source, wrapped, options);
  if (isAgent(wrapped)) return wrapAgent(source, wrapped, options);
  return { ...wrapped, middleware: [phaseMiddleware(source, options), ...(wrapped.middleware ?? [])] };
}
