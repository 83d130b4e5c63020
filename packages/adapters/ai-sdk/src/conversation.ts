import { type ConversationMessage, toObject } from "@phasekit/core/adapter";

/** Converts the messages of a step: their text, and the ids of their calls. */
export function toConversation(messages: readonly unknown[]): readonly ConversationMessage[] {
  return messages.map((message) => {
    const { role, content } = toObject(message);
    const parts = Array.isArray(content) ? content.map(toObject) : [{ type: "text", text: content }];
    return {
      role: role as ConversationMessage["role"],
      text: parts.map(({ type, text }) => (type === "text" && typeof text === "string" ? text : "")).join(""),
      id: parts.map(({ toolCallId = "" }) => (typeof toolCallId === "string" ? toolCallId : "")).join(),
    };
  });
}
