import { BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { mergeConfigs, raceWithSignal } from "@langchain/core/runnables";
import { Command, isCommand, type LangGraphRunnableConfig } from "@langchain/langgraph";
import type { RunSource } from "@phasekit/core/adapter";
import { type Invocation, runOfTurn } from "./invocation.ts";
import { type PhaseOptions, type PhaseTurn, takeTurns } from "./take-turns.ts";
import { recordUnmade } from "./unmade-calls.ts";

/** The state of a graph whose agent speaks in `messages`. */
export interface MessagesState {
  readonly messages: BaseMessage[];
}

/** A node that asks a model: it reads `messages` of the state, and its update has the answer in `messages`. */
export type ModelNode<TState extends MessagesState, TUpdate, TModel> = (state: TState, config: LangGraphRunnableConfig, turn: PhaseTurn<TModel>) => TUpdate | Promise<TUpdate>;

/**
 * A model node of a graph of your own, with a run in it. Your node finds the nudges in `state.messages`; the third
 * parameter says which model the phase wants and whether this is the closing turn. A finish that is sent back is asked
 * for again inside the node. Hand `config` on to the model, so that a streamed answer is seen whole.
 *
 * @example
 * graph.addNode("agent", phaseNode(run, async ({ messages }, config, { toolChoice }) => ({
 *   messages: [await model.bindTools(tools, { tool_choice: toolChoice }).invoke(messages, config)],
 * })));
 * @throws RUN_ENDED when the run has ended.
 */
export function phaseNode<TState extends MessagesState, TUpdate, TModel = unknown>(
  source: RunSource<Invocation>,
  node: ModelNode<TState, TUpdate, TModel>,
  options: PhaseOptions<TModel> = {},
): (state: TState, config: LangGraphRunnableConfig) => Promise<TUpdate | MessagesState | Command[]> {
  return async (state, config) => {
    const run = runOfTurn(source, config);
    // Tools that are not watched, and calls of tools that do not exist, are seen by their results only.
    recordUnmade(run, state.messages, "error");
    const { rejected, end } = await takeTurns<TUpdate, TModel>(run, {
      messages: state.messages,
      options,
      ask: async (turn, listener) => {
        const listening = mergeConfigs(config, { callbacks: [listener] }) as LangGraphRunnableConfig;
        // When the host gives up, the graph does not wait for its nodes; the run hears of it all the same.
        return raceWithSignal(Promise.resolve(node({ ...state, messages: turn.messages }, listening, turn)), config.signal);
      },
      read: messagesIn,
    });
    const last = "answer" in end ? end.answer : { messages: [end.stopped] };
    if (rejected.length === 0) return last;
    // Each answer is an update of its own: what else the node writes is kept, and reduced as ever.
    return [
      ...rejected.flatMap(({ answer, objection }) => [toCommand(updateOf(answer)), toCommand({ messages: [objection] })]),
      isCommand(last) ? last : toCommand(last),
    ];
  };
}

function toCommand(update: unknown): Command {
  // An update is what the graph's own state says it is.
  return new Command({ update: update as Record<string, unknown> });
}

function updateOf(answer: unknown): unknown {
  return isCommand(answer) ? answer.update : answer;
}

function messagesIn(answer: unknown): readonly BaseMessage[] {
  const { messages = [] } = (updateOf(answer) ?? {}) as { readonly messages?: unknown };
  return [messages].flat().flatMap((message) => toMessage(message) ?? []);
}

/** A graph takes messages in many forms; here they are as the graph would have them. */
function toMessage(given: unknown): BaseMessage | undefined {
  if (BaseMessage.isInstance(given)) return given;
  try {
    return coerceMessageLikeToMessage(given as BaseMessageLike);
  } catch {
    return undefined;
  }
}
