import { type Part, partIn } from "./model-parts.ts";

const SEAL = "The run was stopped before this call was made. Nothing was done.";

/**
 * The messages with a result for every tool call that has none, so that a stored conversation can be taken up again. A
 * provider refuses a history in which a call was never answered.
 */
export function sealDanglingToolCalls<TMessage>(messages: readonly TMessage[], { text = SEAL }: { readonly text?: string } = {}): TMessage[] {
  const answered = new Set(messages.flatMap((message) => partsOf(message, "tool-result").map(({ toolCallId }) => toolCallId)));
  return messages.flatMap((message) => {
    const open = partsOf(message, "tool-call").filter(({ toolCallId, providerExecuted }) => !answered.has(toolCallId) && providerExecuted !== true);
    if (open.length === 0) return [message];
    const content = open.map(({ toolCallId, toolName }) => ({ type: "tool-result", toolCallId, toolName, output: { type: "error-text", value: text } }));
    // A tool message fits every list of messages, whatever its union is called.
    return [message, { role: "tool", content } as TMessage];
  });
}

function partsOf(message: unknown, type: string): readonly Part[] {
  const { content } = partIn(message);
  return Array.isArray(content) ? content.map(partIn).filter((part) => part["type"] === type) : [];
}
