import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

const SEAL = "The run was stopped before this call was made. Nothing was done.";

/**
 * The messages with a result for every tool call that has none, so that a stored conversation can be taken up again. A
 * provider refuses a history in which a call was never answered.
 */
export function sealDanglingToolCalls(messages: readonly BaseMessage[], { text = SEAL }: { readonly text?: string } = {}): BaseMessage[] {
  const answered = new Set(messages.filter((message) => ToolMessage.isInstance(message)).map(({ tool_call_id }) => tool_call_id));
  const sealed: BaseMessage[] = [];
  let open: ToolMessage[] = [];
  for (const message of messages) {
    // Results of one answer stand together: the missing ones come after those that are there.
    if (!ToolMessage.isInstance(message)) sealed.push(...open.splice(0));
    sealed.push(message);
    if (!AIMessage.isInstance(message)) continue;
    open = (message.tool_calls ?? [])
      .filter(({ id }) => id !== undefined && !answered.has(id))
      .map(({ id = "", name }) => new ToolMessage({ content: text, name, tool_call_id: id, status: "error" }));
  }
  return [...sealed, ...open];
}
