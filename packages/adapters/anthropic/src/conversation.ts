import type { RunPort } from "@phasekit/core";
import {
  type ConversationMessage,
  type LooseObject,
  NUDGE_TAG,
  recordConversation,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { blocksOf, objectsIn, textOf } from "./content-blocks.ts";
import { isCall } from "./message-answer.ts";
import { isResult } from "./tool-results.ts";

/** Records how the conversation of a request changed: the user's messages, and a history that was shortened. */
export function recordBody(run: RunPort, body: object): void {
  const { messages, thread } = toObject(body);
  // The server keeps a thread: the messages are what is new.
  const partial = toObject(thread)["type"] === "continue";
  recordConversation(run, objectsIn(messages).flatMap(toConversation), { partial });
}

/** The results in a user message are messages of their own. */
function toConversation({ role, content }: LooseObject): readonly ConversationMessage[] {
  const blocks = blocksOf(content);
  if (role === "assistant") {
    const ids = blocks.filter(isCall).map(({ id }) => textIn(id));
    return [{ role, text: textOf(content), id: ids.join() }];
  }
  const results = blocks
    .filter(isResult)
    .map((block): ConversationMessage => ({ role: "tool", text: "", id: textIn(block["tool_use_id"]) }));
  const said = blocks.filter(({ type, text }) => type === "text" && !textIn(text).startsWith(`<${NUDGE_TAG}>`));
  const text = textOf(said);
  return text === "" ? results : [...results, { role: role === "system" ? "system" : "user", text }];
}
