import type { RunPort } from "@phasekit/core";
import { type ConversationMessage, recordConversation, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn } from "./objects-in.ts";

/** Records how the conversation of a request changed: the user's messages, and a history that was shortened. */
export function recordBody(run: RunPort, body: object): void {
  const { messages, input, previous_response_id: previous, conversation } = toObject(body);
  const given = typeof input === "string" ? [{ role: "user", content: input }] : (messages ?? input);
  if (!Array.isArray(given)) return;
  // The server keeps the conversation: the input is what is new.
  const partial = messages === undefined && (previous ?? conversation ?? undefined) !== undefined;
  recordConversation(run, given.map(toMessage), { partial });
}

function toMessage(item: unknown): ConversationMessage {
  const { type, role, content, tool_calls: calls, tool_call_id: answered, call_id: call, id } = toObject(item);
  const ids = [id, call, answered, ...(Array.isArray(calls) ? calls.map((made) => toObject(made)["id"]) : [])];
  return {
    role: roleOf(role, type),
    text: Array.isArray(content)
      ? objectsIn(content)
          .map(({ text }) => textIn(text))
          .join("")
      : textIn(content),
    id: ids.map(textIn).join(),
  };
}

function roleOf(role: unknown, type: unknown): ConversationMessage["role"] {
  if (role === "system" || role === "developer") return "system";
  if (role === "user" || role === "assistant") return role;
  return role === "tool" || role === "function" || textIn(type).endsWith("_output") ? "tool" : "assistant";
}
