import { SEAL_TEXT, toObject } from "@phasekit/core/adapter";
import type { Part } from "./model-parts.ts";

/**
 * Adds a result for every tool call without one, so that a stored conversation can continue: providers reject a history
 * with unanswered calls.
 */
export function sealDanglingToolCalls<TMessage>(
  messages: readonly TMessage[],
  { text = SEAL_TEXT }: { readonly text?: string } = {},
): TMessage[] {
  const answered = new Set(
    messages.flatMap((message) => partsOf(message, "tool-result").map(({ toolCallId }) => toolCallId)),
  );
  return messages.flatMap((message) => {
    const open = partsOf(message, "tool-call").filter(
      ({ toolCallId, providerExecuted }) => !answered.has(toolCallId) && providerExecuted !== true,
    );
    if (open.length === 0) return [message];
    const content = open.map(({ toolCallId, toolName }) => ({
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: "error-text", value: text },
    }));
    // A tool message is a valid member of the list, whatever its union type is called.
    return [message, { role: "tool", content } as TMessage];
  });
}

function partsOf(message: unknown, type: string): readonly Part[] {
  const { content } = toObject(message);
  return Array.isArray(content) ? content.map(toObject).filter((part) => part["type"] === type) : [];
}
