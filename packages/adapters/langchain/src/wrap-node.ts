import { BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { mergeConfigs, raceWithSignal } from "@langchain/core/runnables";
import { Command, isCommand, type LangGraphRunnableConfig } from "@langchain/langgraph";
import type { RunSource } from "@phasekit/core/adapter";
import { type Invocation, runOfInvocation } from "./invocation.ts";
import { type PhaseOptions, type PhaseTurn, takeTurns } from "./take-turns.ts";
import { recordUnmade } from "./unmade-calls.ts";

/** The state of a graph that keeps its conversation in `messages`. */
export interface MessagesState {
  readonly messages: BaseMessage[];
}

/** A node that calls a model: it reads `messages` of the state and returns the answer in `messages` of its update. */
export type ModelNode<TState extends MessagesState, TUpdate, TModel> = (
  state: TState,
  config: LangGraphRunnableConfig,
  turn: PhaseTurn<TModel>,
) => TUpdate | Promise<TUpdate>;

/** A node with a run in it. After a veto its update is a list of commands, one per answer. */
export type WrappedNode<TState extends MessagesState, TUpdate> = (
  state: TState,
  config: LangGraphRunnableConfig,
) => Promise<TUpdate | MessagesState | Command[]>;

/**
 * Returns a node that asks the run before and after every model call of the given node.
 *
 * @throws RUN_ENDED from the node if the run has ended.
 */
export function wrapNode<TState extends MessagesState, TUpdate, TModel>(
  source: RunSource<Invocation>,
  node: ModelNode<TState, TUpdate, TModel>,
  options: PhaseOptions<TModel>,
): WrappedNode<TState, TUpdate> {
  return async (state, config) => {
    const run = runOfInvocation(source, config);
    // Only the results show calls of unguarded and of unknown tools.
    recordUnmade(run, state.messages, "error");
    const { rejected, end } = await takeTurns<TUpdate, TModel>(run, {
      messages: state.messages,
      options,
      ask: async (turn, listener) => {
        const listening = mergeConfigs(config, { callbacks: [listener] }) as LangGraphRunnableConfig;
        // On abort the graph does not wait for its nodes. The race lets the run record the abort.
        return raceWithSignal(
          Promise.resolve(node({ ...state, messages: turn.messages }, listening, turn)),
          config.signal,
        );
      },
      read: messagesIn,
    });
    const last = "answer" in end ? end.answer : { messages: [end.stopped] };
    if (rejected.length === 0) return last;
    // Each answer is its own update: the graph keeps and reduces everything else the node writes.
    return [
      ...rejected.flatMap(({ answer, objection }) => [
        toCommand(updateOf(answer)),
        toCommand({ messages: [objection] }),
      ]),
      isCommand(last) ? last : toCommand(last),
    ];
  };
}

function toCommand(update: unknown): Command {
  // The type of an update depends on the state of the graph.
  return new Command({ update: update as Record<string, unknown> });
}

function updateOf(answer: unknown): unknown {
  return isCommand(answer) ? answer.update : answer;
}

function messagesIn(answer: unknown): readonly BaseMessage[] {
  const { messages = [] } = (updateOf(answer) ?? {}) as { readonly messages?: unknown };
  return [messages].flat().flatMap((message) => toMessage(message) ?? []);
}

/** Converts a message as the graph would: graphs accept messages in many forms. */
function toMessage(given: unknown): BaseMessage | undefined {
  if (BaseMessage.isInstance(given)) return given;
  try {
    return coerceMessageLikeToMessage(given as BaseMessageLike);
  } catch {
    return undefined;
  }
}
