import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { reasons, type RunPort, type TurnAnswer } from "@phasekit/core";
import {
  askTurn,
  createNudgeAnchors,
  failureToModelEvent,
  isOffered,
  modelForLabel,
  recordAnswer,
  recordConversation,
  type Reviewer,
  shieldRun,
  systemClock,
} from "@phasekit/core/adapter";
import { leavesGraph, rootCause } from "./errors.ts";
import { malformedCalls, messagesToAnswer, toConversation } from "./message-answer.ts";
import { watchModel } from "./watch-model.ts";

/** Options for `withPhases()`. All optional. */
export interface PhaseOptions<TModel = unknown> {
  /** Models by phase label. A label without an entry keeps the host's model. */
  readonly models?: Readonly<Record<string, TModel>>;
  /** Answers the review questions of policies. The turn waits for the answer. */
  readonly reviewer?: Reviewer;
  /**
   * Shows the model only the tools of the phase, which invalidates the provider's prompt cache. Other calls are refused
   * either way. @default false
   */
  readonly hideTools?: boolean;
  /** @default the system clock */
  readonly clock?: () => number;
}

/** One turn, as the run answered `beforeTurn`. */
export interface PhaseTurn<TModel = unknown> {
  /** The host's messages with all nudges in their places. */
  readonly messages: BaseMessage[];
  /** The model of the phase; `undefined` keeps the host's own. */
  readonly model: TModel | undefined;
  /** "none" for the closing turn. */
  readonly toolChoice: "none" | undefined;
  /** True if the phase offers the tool; always true without `hideTools`. */
  readonly offers: (tool: string) => boolean;
}

/** Inputs of `takeTurns()`. */
export interface TurnContext<TAnswer, TModel> {
  readonly messages: readonly BaseMessage[];
  readonly options: PhaseOptions<TModel>;
  /** Calls the model. The handler records its stream, if the host supports it. */
  readonly ask: (turn: PhaseTurn<TModel>, handler: BaseCallbackHandler) => TAnswer | PromiseLike<TAnswer>;
  /** Returns the messages of an answer. */
  readonly read: (answer: TAnswer) => readonly BaseMessage[];
}

/** Result of `takeTurns()`: more than one answer if the run vetoed a finish. */
export interface TurnsResult<TAnswer> {
  /** The vetoed answers, each with the text of its veto. */
  readonly rejected: readonly { readonly answer: TAnswer; readonly objection: HumanMessage }[];
  /** The final answer, or the message that replaces it because the run was stopped. */
  readonly end: { readonly answer: TAnswer } | { readonly stopped: AIMessage };
}

/**
 * Asks the run, calls the model, then asks the run if the agent may finish. After a veto it calls the model again here,
 * not through the graph: edges, hooks and limits of the host see one answer.
 */
export async function takeTurns<TAnswer, TModel>(
  run: RunPort,
  { messages, options, ask, read }: TurnContext<TAnswer, TModel>,
): Promise<TurnsResult<TAnswer>> {
  const { attempt, beforeFinish, record } = shieldRun(run);
  const { clock = systemClock } = options;
  const rejected: { readonly answer: TAnswer; readonly objection: HumanMessage }[] = [];
  const history = [...messages];
  for (;;) {
    attempt("conversation", () => recordConversation(run, toConversation(history)), undefined);
    const turn = await askTurn(run, { reviewer: options.reviewer });
    if (turn.stop !== undefined) return { rejected, end: { stopped: stopMessage(turn.stop) } };
    const plain: PhaseTurn<TModel> = { messages: history, model: undefined, toolChoice: undefined, offers: () => true };
    const prepared = attempt("prepareTurn", () => prepareTurn(run, turn, { history, options }), plain);
    const watch = watchModel(run);
    const started = clock();
    let answer: TAnswer;
    try {
      answer = await ask(prepared, watch.handler);
    } catch (error) {
      // An interrupt is not a failure: the node starts again when the graph continues.
      if (!leavesGraph(error))
        attempt(
          "model.failed",
          () => record({ ...failureToModelEvent(rootCause(error)), durationMs: clock() - started }),
          false,
        );
      throw error;
    }
    const said = attempt(
      "model.answered",
      () => {
        const found = messagesToAnswer(read(answer), { finishReason: watch.finishReason() });
        recordAnswer(run, found, { durationMs: clock() - started });
        for (const event of malformedCalls(read(answer))) record(event);
        return found;
      },
      undefined,
    );
    if (said === undefined || said.calls.length > 0 || turn.wrapUp) return { rejected, end: { answer } };
    const finish = beforeFinish({ text: said.text });
    if (finish.accept) return { rejected, end: { answer } };
    const objection = new HumanMessage(finish.text);
    rejected.push({ answer, objection });
    history.push(...read(answer), objection);
  }
}

/**
 * Replaces the answer of a stopped run. It is not empty: providers reject a history with empty answers. Whoever asked
 * the agent reads it, and the text of a closing turn is for the model.
 */
function stopMessage({ how, reason, text }: NonNullable<TurnAnswer["stop"]>): AIMessage {
  const content = (how === "wrap-up" ? undefined : text) ?? reasons[reason].text;
  return new AIMessage({ content, response_metadata: { phasekit: "stop" } });
}

function prepareTurn<TModel>(
  run: RunPort,
  turn: TurnAnswer,
  { history, options }: { readonly history: readonly BaseMessage[]; readonly options: PhaseOptions<TModel> },
): PhaseTurn<TModel> {
  const { models, hideTools = false } = options;
  return {
    messages: placeNudges(run, history, turn.message),
    model: modelForLabel(run, turn.model, models),
    toolChoice: turn.wrapUp ? "none" : undefined,
    offers: (tool) => !hideTools || isOffered(turn.tools, tool),
  };
}

/** Anchors compare messages. The graph adds ids and names later, so `toJSON` leaves them out. */
function placeNudges(run: RunPort, history: readonly BaseMessage[], text: string | undefined): BaseMessage[] {
  const placed = createNudgeAnchors(run).place(history.map(toPlace), {
    text,
    make: (said) => toPlace(new HumanMessage(said)),
    read: textOf,
    isAnswer,
  });
  return placed.map(({ message }) => message);
}

interface Place {
  readonly message: BaseMessage;
  readonly toJSON: () => unknown;
}

function toPlace(message: BaseMessage): Place {
  return {
    message,
    toJSON: () => [message.type, message.content, ToolMessage.isInstance(message) ? message.tool_call_id : undefined],
  };
}

function isAnswer({ message }: Place): boolean {
  return AIMessage.isInstance(message) && message.response_metadata["phasekit"] === undefined;
}

function textOf({ message }: Place): string | undefined {
  return HumanMessage.isInstance(message) && typeof message.content === "string" ? message.content : undefined;
}
