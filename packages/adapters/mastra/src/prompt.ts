import { type ConversationMessage, type LooseObject, toObject } from "@phasekit/core/adapter";

/** Converts the prompt of a model call: the text of its messages, and the ids of their calls. */
export function toConversation(prompt: readonly unknown[]): readonly ConversationMessage[] {
  return prompt.map((message) => {
    const parts = partsOf(message);
    return {
      role: toObject(message)["role"] as ConversationMessage["role"],
      text: parts.map(({ type, text }) => (type === "text" && typeof text === "string" ? text : "")).join(""),
      id: parts.map(({ toolCallId = "" }) => (typeof toolCallId === "string" ? toolCallId : "")).join(),
    };
  });
}

function partsOf(message: unknown): readonly LooseObject[] {
  const { content } = toObject(message);
  return Array.isArray(content) ? content.map(toObject) : [{ type: "text", text: content }];
}

export function userMessage(text: string): object {
  return { role: "user", content: [{ type: "text", text }] };
}

export function readUserMessage(message: unknown): string | undefined {
  const { role } = toObject(message);
  const [first] = partsOf(message);
  return role === "user" && typeof first?.["text"] === "string" ? first["text"] : undefined;
}

export function isAnswer(message: unknown): boolean {
  return toObject(message)["role"] === "assistant";
}
