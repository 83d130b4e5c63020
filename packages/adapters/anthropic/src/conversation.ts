import type { RunPort } from "@phasekit/core";
import { type ConversationMessage, NUDGE_TAG, recordConversation, toObject } from "@phasekit/core/adapter";
import { isCall } from "./message-answer.ts";
import { isResult } from "./tool-results.ts";
import { blocksOf, listIn, textIn, textOf, type WireObject } from "./wire-json.ts";

/** Records how the conversation of a request changed: the user's messages, and a history that was shortened. */
export function recordBody(run: RunPort, body: object): void {
  const { messages, thread } = toObject(body);
  // The server keeps a thread: the messages are what is new.
  const partial = toObject(thread)["type"] === "continue";
  recordConversation(run, listIn(messages).flatMap(toConversation), { partial });
}

/** The results in a user message are messages of their own. */
function toConversation({ role, content }: WireObject): readonly ConversationMessage[] {
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
