import { isCall } from "./responses-answer.ts";
import { listIn, textIn, type WireObject } from "./wire-json.ts";

const SEAL = "The run was stopped before this call was made. Nothing was done.";

/** Calls of a list of chat messages or Responses items that have no result, each with the place where it belongs. */
export function danglingCalls(messages: readonly unknown[]): readonly { readonly call: string; readonly form: "chat" | "responses"; readonly after: number }[] {
  const list = listIn(messages);
  const answered = new Set(list.flatMap((message) => [textIn(message["tool_call_id"]), isOutput(message) ? textIn(message["call_id"]) : ""]));
  return list.flatMap((message, index) => {
    const chat = listIn(message["tool_calls"]).map(({ id }) => ({ call: textIn(id), form: "chat" as const }));
    const items = isCall(message) ? [{ call: textIn(message["call_id"]), form: "responses" as const }] : [];
    return [...chat, ...items].filter(({ call }) => !answered.has(call)).map((found) => ({ ...found, after: endOfBatch(list, index) }));
  });
}

/**
 * The messages with a result for every call that has none, so that a stored conversation can be taken up again. A
 * provider refuses a history in which a call was never answered.
 */
export function sealDanglingToolCalls<TMessage>(messages: readonly TMessage[], { text = SEAL }: { readonly text?: string } = {}): TMessage[] {
  const sealed: TMessage[] = [];
  const dangling = danglingCalls(messages);
  for (const [index, message] of messages.entries()) {
    sealed.push(message);
    for (const { call, form } of dangling.filter(({ after }) => after === index)) {
      const result = form === "chat" ? { role: "tool", tool_call_id: call, content: text } : { type: "function_call_output", call_id: call, output: text };
      // A result is a message of the same list, whatever its union is called.
      sealed.push(result as TMessage);
    }
  }
  return sealed;
}

function isOutput(message: WireObject): boolean {
  return message["type"] === "function_call_output" || message["type"] === "custom_tool_call_output";
}

/** Results stand together after all calls of a batch. */
function endOfBatch(list: readonly WireObject[], index: number): number {
  let end = index;
  for (let next = list[end + 1]; next !== undefined && (next["role"] === "tool" || isCall(next) || isOutput(next)); next = list[end + 1]) end += 1;
  return end;
}
