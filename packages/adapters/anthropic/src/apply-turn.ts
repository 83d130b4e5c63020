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
import { blocksOf } from "./content-blocks.ts";
import { recordBody } from "./conversation.ts";
import { danglingCalls } from "./dangling-calls.ts";
import { isCompaction } from "./message-answer.ts";

/** Options for `applyTurn()`. All optional. */
export interface TurnOptions {
  /** Models by phase label. A label without an entry keeps the model of the request. */
  readonly models?: Readonly<Record<string, string>>;
  /**
   * How a phase's tools are shown to the model. "execution": not at all; other calls are refused when made, and the
   * prompt cache stays valid. "filter": the tool list is filtered, which invalidates the cache. @default "execution"
   */
  readonly offer?: "execution" | "filter";
}

/**
 * Returns the request body for this turn: nudges after all tool results, the phase's model and tools, and no tools in
 * a closing turn. Nudges of earlier turns go back to their places, so every request extends the one before it.
 *
 * @example
 * client.messages.create(applyTurn(run, { model, max_tokens, messages, tools }))
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
    ...withNudges(run, toObject(body), turn),
    ...defined({ model }),
    ...toolEdits(toObject(body), turn, options),
  };
}

function withNudges(run: RunPort, { messages, thread }: LooseObject, turn: TurnAnswer): object {
  if (!Array.isArray(messages)) return {};
  const list = messages as readonly LooseObject[];
  const why = whyNoNudge(list);
  if (why !== undefined) shieldRun(run).loseNudges(turn, why);
  const text = why === undefined ? turn.message : undefined;
  const ours = new Set<LooseObject>();
  const make = (nudge: string): LooseObject => {
    const made = { role: "user", content: nudge };
    ours.add(made);
    return made;
  };
  // The server keeps the messages of a thread, with earlier nudges: do not send them again.
  if (toObject(thread)["type"] === "continue")
    return text === undefined || lastText(list.at(-1)) === text ? {} : { messages: fold([...list, make(text)], ours) };
  const isAnswer = (message: LooseObject): boolean => toObject(message)["role"] === "assistant";
  const placed = createNudgeAnchors(run).place(list, { text, make, read: lastText, isAnswer });
  return { messages: fold(placed, ours) };
}

/** The API rejects a nudge between a call and its result, and a nudge would end an answer that is to be continued. */
function whyNoNudge(messages: readonly LooseObject[]): string | undefined {
  if (danglingCalls(messages).length > 0) return "the request has tool calls without results";
  const { role, content } = toObject(messages.at(-1));
  const continues = role === undefined || (role === "assistant" && !blocksOf(content).some(isCompaction));
  return continues ? "the request continues an answer of the model" : undefined;
}

/** Puts nudges at the end of the user message before them: some servers insist on alternating roles. */
function fold(messages: readonly LooseObject[], ours: ReadonlySet<LooseObject>): readonly LooseObject[] {
  const folded: LooseObject[] = [];
  for (const message of messages) {
    const before = folded.at(-1);
    if (ours.has(message) && before?.["role"] === "user")
      folded[folded.length - 1] = {
        ...before,
        content: [...blocksOf(before["content"]), { type: "text", text: message["content"] }],
      };
    else folded.push(message);
  }
  return folded;
}

function lastText(message: LooseObject | undefined): string {
  const { role, content } = toObject(message);
  return role === "user" ? textIn(blocksOf(content).at(-1)?.["text"]) : "";
}

function toolEdits(
  { tools, thread }: LooseObject,
  { wrapUp, tools: rules }: TurnAnswer,
  { offer = "execution" }: TurnOptions,
): object {
  const list = Array.isArray(tools) ? (tools as readonly unknown[]) : [];
  // A thread keeps its tools: later requests do not repeat them.
  if (list.length === 0 && toObject(thread)["type"] !== "continue") return {};
  if (wrapUp) return { tool_choice: { type: "none" } };
  if (rules === undefined || offer === "execution" || list.length === 0) return {};
  return { tools: list.filter((tool) => isOffered(rules, textIn(toObject(tool)["name"]))) };
}
