import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { SEAL_TEXT } from "@phasekit/core/adapter";

/**
 * Adds a result for every tool call without one, so that a stored conversation can continue: providers reject a history
 * with unanswered calls.
 */
export function sealDanglingToolCalls(
  messages: readonly BaseMessage[],
  { text = SEAL_TEXT }: { readonly text?: string } = {},
): BaseMessage[] {
  const answered = new Set(
    messages.filter((message) => ToolMessage.isInstance(message)).map(({ tool_call_id }) => tool_call_id),
  );
  const sealed: BaseMessage[] = [];
  let open: ToolMessage[] = [];
  for (const message of messages) {
    // Results of one answer come together: missing ones go after the existing ones.
    if (!ToolMessage.isInstance(message)) sealed.push(...open.splice(0));
    sealed.push(message);
    if (!AIMessage.isInstance(message)) continue;
    open = (message.tool_calls ?? [])
      .filter(({ id }) => id !== undefined && !answered.has(id))
      .map(({ id = "", name }) => new ToolMessage({ content: text, name, tool_call_id: id, status: "error" }));
  }
  return [...sealed, ...open];
}
