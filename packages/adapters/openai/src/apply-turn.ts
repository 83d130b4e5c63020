import type { RunPort, TurnAnswer } from "@phasekit/core";
import {
  createNudgeAnchors,
  defined,
  isOffered,
  type LooseObject,
  modelForLabel,
  shieldRun,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { recordBody } from "./conversation.ts";
import { danglingCalls } from "./dangling-calls.ts";
import { isCall } from "./responses-answer.ts";

/** Options for `applyTurn()`. All optional. */
export interface TurnOptions {
  /** Models by phase label. A label without an entry keeps the model of the request. */
  readonly models?: Readonly<Record<string, string>>;
  /**
   * How a phase's tools are shown to the model. "execution": not at all; other calls are refused when made, and the
   * provider's prompt cache stays valid. "allowed": as `tool_choice: allowed_tools`, which also keeps the cache valid
   * if the API supports it. "filter": the tool list is filtered, which invalidates the cache. @default "execution"
   */
  readonly offer?: "execution" | "allowed" | "filter";
}

/**
 * Returns the request body for this turn: nudges after all tool results, the phase's model and tools, and no tools in
 * a closing turn. Nudges of earlier turns go back to their places, so every request extends the one before it.
 *
 * @example
 * client.chat.completions.create(applyTurn(run, { model, messages, tools }))
 */
export function applyTurn<TBody extends object>(run: RunPort, body: TBody, options: TurnOptions = {}): TBody {
  const { beforeTurn, attempt } = shieldRun(run);
  attempt("applyTurn", () => recordBody(run, body), undefined);
  const turn = beforeTurn();
  return attempt("applyTurn", () => editBody(run, { body, turn, options }), body);
}

/** Returns the request body with the edits of one turn. */
export function editBody<TBody extends object>(
  run: RunPort,
  { body, turn, options }: { readonly body: TBody; readonly turn: TurnAnswer; readonly options: TurnOptions },
): TBody {
  const model = modelForLabel(run, turn.model, options.models);
  return {
    ...body,
    ...withNudges(run, body, turn),
    ...defined({ model }),
    ...toolEdits(toObject(body), turn, options),
  };
}

function withNudges(run: RunPort, body: object, turn: TurnAnswer): object {
  const { messages, input, previous_response_id: previous, conversation } = toObject(body);
  const isChat = Array.isArray(messages);
  const list = isChat
    ? messages
    : typeof input === "string" && turn.message !== undefined
      ? [{ role: "user", content: input }]
      : input;
  if (!Array.isArray(list)) return {};
  const open = danglingCalls(list).length > 0;
  // A provider rejects a nudge between a call and its result.
  if (open) shieldRun(run).loseNudges(turn, "the request has tool calls without results");
  const text = open ? undefined : turn.message;
  // The server keeps earlier nudges: do not send them again.
  if (!isChat && (isGiven(previous) || isGiven(conversation)))
    return text === undefined ? {} : { input: [...(list as unknown[]), message(text)] };
  const placed = createNudgeAnchors(run).place(list as readonly unknown[], {
    text,
    make: message,
    read: (given) => textIn(toObject(given)["content"]),
    isAnswer: isChat ? isOutput : (item, before) => isOutput(item) && !isOutput(before),
  });
  return isChat ? { messages: placed } : { input: placed };
}

/** True if the model wrote it: a chat message, or an output item of the Responses API. */
function isOutput(given: unknown): boolean {
  const item = toObject(given);
  return item["role"] === "assistant" || item["type"] === "reasoning" || isCall(item);
}

function message(text: string): LooseObject {
  return { role: "user", content: text };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function toolEdits(
  { tools, messages }: LooseObject,
  { wrapUp, tools: rules }: TurnAnswer,
  { offer = "execution" }: TurnOptions,
): object {
  if (!Array.isArray(tools) || tools.length === 0) return {};
  if (wrapUp) return { tool_choice: "none" };
  if (rules === undefined || offer === "execution") return {};
  const offered = (tools as readonly unknown[]).filter((tool) => isOffered(rules, nameOf(tool)));
  if (offer === "filter") return { tools: offered };
  const chosen = offered.map((tool) => choiceOf(tool, messages !== undefined));
  const allowed = { mode: "auto", tools: chosen };
  return {
    tool_choice:
      messages === undefined
        ? { type: "allowed_tools", ...allowed }
        : { type: "allowed_tools", allowed_tools: allowed },
  };
}

function nameOf(tool: unknown): string {
  const object = toObject(tool);
  return textIn(toObject(object["function"] ?? object["custom"])["name"] ?? object["name"]);
}

function choiceOf(tool: unknown, isChat: boolean): LooseObject {
  const { type } = toObject(tool);
  const name = nameOf(tool);
  return isChat ? { type, function: { name } } : { type, name };
}
