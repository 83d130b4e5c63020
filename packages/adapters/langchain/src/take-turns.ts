import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { RunPort, TurnAnswer } from "@phasekit/core";
import { answerReview, createNudgeAnchors, failureToModelFact, isOffered, modelForLabel, recordAnswer, type Reviewer, runStopped, shieldRun, systemClock } from "@phasekit/core/adapter";
import { leavesGraph, rootCause } from "./errors.ts";
import { messagesToAnswer } from "./message-answer.ts";
import { watchModel } from "./watch-model.ts";

/** How a run is put into an agent or a node. */
export interface PhaseOptions<TModel = unknown> {
  /** The models behind the labels of phases. A label that is not here keeps the host's model. */
  readonly models?: Readonly<Record<string, TModel>>;
  /** Somebody to ask when a policy wants a review. The turn waits for the answer. */
  readonly reviewer?: Reviewer;
  /** Shows the model only the tools of the phase, at the price of the provider's cache. Calls are refused either way. @default false */
  readonly hideTools?: boolean;
  /** @default the machine's clock */
  readonly clock?: () => number;
}

/** A turn as the run wants it. */
export interface PhaseTurn<TModel = unknown> {
  /** What the model is to read: what the host has, with what Phasekit said at its place. */
  readonly messages: BaseMessage[];
  /** The model of the phase; absent when the host's own is fine. */
  readonly model: TModel | undefined;
  /** "none" for the closing turn. */
  readonly toolChoice: "none" | undefined;
  /** Whether the phase offers a tool; always true without `hideTools`. */
  readonly offers: (tool: string) => boolean;
}

/** What is needed to take a turn. */
export interface TurnTaking<TAnswer, TModel> {
  readonly messages: readonly BaseMessage[];
  readonly options: PhaseOptions<TModel>;
  /** Asks the model. The handler listens to it, where the host lets it. */
  readonly ask: (turn: PhaseTurn<TModel>, handler: BaseCallbackHandler) => TAnswer | PromiseLike<TAnswer>;
  /** The messages an answer brings. */
  readonly read: (answer: TAnswer) => readonly BaseMessage[];
}

/** What came of asking the model, more than once when the run did not accept its finish. */
export interface TakenTurns<TAnswer> {
  /** The answers that were sent back, and with what. */
  readonly rejected: readonly { readonly answer: TAnswer; readonly objection: HumanMessage }[];
  /** The answer that stands, or what stands in its place because the run was stopped. */
  readonly end: { readonly answer: TAnswer } | { readonly stopped: AIMessage };
}

/**
 * Asks the run, then the model, then the run again whether that was it. A finish that is sent back is asked for again
 * here and not by way of the graph: edges, hooks and limits of the host see one answer.
 */
export async function takeTurns<TAnswer, TModel>(run: RunPort, { messages, options, ask, read }: TurnTaking<TAnswer, TModel>): Promise<TakenTurns<TAnswer>> {
  const { attempt, beforeFinish, beforeTurn, record } = shieldRun(run);
  const { clock = systemClock } = options;
  const rejected: { readonly answer: TAnswer; readonly objection: HumanMessage }[] = [];
  const history = [...messages];
  for (;;) {
    const turn = await answerReview(run, beforeTurn(), options.reviewer);
    if (turn.stop?.how === "abort") throw runStopped(turn.stop.reason);
    if (turn.stop !== undefined) return { rejected, end: { stopped: stopMessage(turn.stop) } };
    const plain: PhaseTurn<TModel> = { messages: history, model: undefined, toolChoice: undefined, offers: () => true };
    const prepared = attempt("prepareTurn", () => prepareTurn(run, turn, { history, options }), plain);
    const watch = watchModel(run);
    const started = clock();
    let answer: TAnswer;
    try {
      answer = await ask(prepared, watch.handler);
    } catch (error) {
      // An interrupt is no failure: the node begins again when the graph goes on.
      if (!leavesGraph(error)) attempt("model.failed", () => record({ ...failureToModelFact(rootCause(error)), durationMs: clock() - started }), false);
      throw error;
    }
    const said = attempt("model.answered", () => {
      const found = messagesToAnswer(read(answer), { finishReason: watch.finishReason() });
      recordAnswer(run, found, { durationMs: clock() - started });
      return found;
    }, undefined);
    if (said === undefined || said.calls.length > 0 || turn.wrapUp) return { rejected, end: { answer } };
    const finish = beforeFinish({ text: said.text });
    if (finish.accept) return { rejected, end: { answer } };
    const objection = new HumanMessage(finish.text);
    rejected.push({ answer, objection });
    history.push(...read(answer), objection);
  }
}

/** The answer in place of one the model was not asked for. It is not empty: providers refuse a history with empty answers. */
function stopMessage({ reason, text }: NonNullable<TurnAnswer["stop"]>): AIMessage {
  return new AIMessage({ content: text ?? `The run was stopped: ${reason}.`, response_metadata: { phasekit: "stop" } });
}

function prepareTurn<TModel>(run: RunPort, turn: TurnAnswer, { history, options }: { readonly history: readonly BaseMessage[]; readonly options: PhaseOptions<TModel> }): PhaseTurn<TModel> {
  const { models, hideTools = false } = options;
  return {
    messages: placeNudges(run, history, turn.message),
    model: modelForLabel(run, turn.model, models),
    toolChoice: turn.wrapUp ? "none" : undefined,
    offers: (tool) => !hideTools || isOffered(turn.tools, tool),
  };
}

/** Anchors tell places by what stands there. The graph gives messages ids and names later on, so those do not count. */
function placeNudges(run: RunPort, history: readonly BaseMessage[], text: string | undefined): BaseMessage[] {
  const placed = createNudgeAnchors(run).place(history.map(toPlace), { text, make: (said) => toPlace(new HumanMessage(said)), read: textOf, isAnswer });
  return placed.map(({ message }) => message);
}

interface Place {
  readonly message: BaseMessage;
  readonly toJSON: () => unknown;
}

function toPlace(message: BaseMessage): Place {
  return { message, toJSON: () => [message.type, message.content, ToolMessage.isInstance(message) ? message.tool_call_id : undefined] };
}

function isAnswer({ message }: Place): boolean {
  return AIMessage.isInstance(message) && message.response_metadata["phasekit"] === undefined;
}

function textOf({ message }: Place): string | undefined {
  return HumanMessage.isInstance(message) && typeof message.content === "string" ? message.content : undefined;
}
