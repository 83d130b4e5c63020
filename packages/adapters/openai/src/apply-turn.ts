import type { RunPort, TurnAnswer } from "@phasekit/core";
import { createNudgeAnchors, isOffered, modelForLabel, shieldRun } from "@phasekit/core/adapter";
import { danglingCalls } from "./dangling-calls.ts";
import { isCall } from "./responses-answer.ts";
import { objectIn, textIn, type WireObject } from "./wire-json.ts";

export interface TurnOptions {
  /** The models behind the labels of phases. A label that is not here keeps the model of the request. */
  readonly models?: Readonly<Record<string, string>>;
  /**
   * How a phase's tools reach the model. "execution": not at all, calls are refused when they are made; the provider's
   * cache stays whole. "allowed": as `tool_choice: allowed_tools`, which keeps it whole too, where the API knows it.
   * "filter": the list is cut, and the cache with it. @default "execution"
   */
  readonly offer?: "execution" | "allowed" | "filter";
}

/**
 * The request for this turn: what the agent must hear at the end, after all tool results; the phase's model and tools;
 * no tools in a closing turn. What was said in earlier turns is put back where it stood, so every request extends the
 * one before it.
 *
 * @example
 * client.chat.completions.create(applyTurn(run, { model, messages, tools }))
 */
export function applyTurn<TBody extends object>(run: RunPort, body: TBody, options: TurnOptions = {}): TBody {
  const { beforeTurn, attempt } = shieldRun(run);
  const turn = beforeTurn();
  return attempt("applyTurn", () => editBody(run, { body, turn, options }), body);
}

/** A request with the edits a turn asks for. */
export function editBody<TBody extends object>(run: RunPort, { body, turn, options }: { readonly body: TBody; readonly turn: TurnAnswer; readonly options: TurnOptions }): TBody {
  const model = modelForLabel(run, turn.model, options.models);
  return {
    ...body,
    ...withNudges(run, body, turn),
    ...(model !== undefined && { model }),
    ...toolEdits(objectIn(body), turn, options),
  };
}

function withNudges(run: RunPort, body: object, turn: TurnAnswer): object {
  const { messages, input, previous_response_id: previous, conversation } = objectIn(body);
  const isChat = Array.isArray(messages);
  const list = isChat ? messages : typeof input === "string" && turn.message !== undefined ? [{ role: "user", content: input }] : input;
  if (!Array.isArray(list)) return {};
  const open = danglingCalls(list).length > 0;
  if (open) lose(run, turn);
  const text = open ? undefined : turn.message;
  // What a server keeps must not be said to it twice.
  if (!isChat && (isGiven(previous) || isGiven(conversation))) return text === undefined ? {} : { input: [...(list as unknown[]), message(text)] };
  const placed = createNudgeAnchors(run).place(list as readonly unknown[], {
    text,
    make: message,
    read: (given) => textIn(objectIn(given)["content"]),
    isAnswer: isChat ? isOutput : (item, before) => isOutput(item) && !isOutput(before),
  });
  return isChat ? { messages: placed } : { input: placed };
}

/** A nudge between a call and its result would be refused by the provider: it is lost, and may be said again. */
function lose(run: RunPort, { nudges }: TurnAnswer): void {
  const { record } = shieldRun(run);
  for (const { nudge } of nudges) record({ type: "nudge.lost", nudge, why: "the request has tool calls without results" });
}

/** Whether the model wrote it: a chat message, or one of the items an answer of the Responses API consists of. */
function isOutput(given: unknown): boolean {
  const item = objectIn(given);
  return item["role"] === "assistant" || item["type"] === "reasoning" || isCall(item);
}

function message(text: string): WireObject {
  return { role: "user", content: text };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function toolEdits({ tools, messages }: WireObject, { wrapUp, tools: rules }: TurnAnswer, { offer = "execution" }: TurnOptions): object {
  if (!Array.isArray(tools) || tools.length === 0) return {};
  if (wrapUp) return { tool_choice: "none" };
  if (rules === undefined || offer === "execution") return {};
  const offered = (tools as readonly unknown[]).filter((tool) => isOffered(rules, nameOf(tool)));
  if (offer === "filter") return { tools: offered };
  const chosen = offered.map((tool) => choiceOf(tool, messages !== undefined));
  const allowed = { mode: "auto", tools: chosen };
  return { tool_choice: messages === undefined ? { type: "allowed_tools", ...allowed } : { type: "allowed_tools", allowed_tools: allowed } };
}

function nameOf(tool: unknown): string {
  const object = objectIn(tool);
  return textIn(objectIn(object["function"] ?? object["custom"])["name"] ?? object["name"]);
}

function choiceOf(tool: unknown, isChat: boolean): WireObject {
  const { type } = objectIn(tool);
  const name = nameOf(tool);
  return isChat ? { type, function: { name } } : { type, name };
}
