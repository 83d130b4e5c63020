import { type LooseObject, SEAL_TEXT, textIn } from "@phasekit/core/adapter";
import { objectsIn } from "./objects-in.ts";
import { isCall } from "./responses-answer.ts";

/** Finds calls without a result among chat messages or Responses items, each with the index its result goes after. */
export function danglingCalls(
  messages: readonly unknown[],
): readonly { readonly call: string; readonly form: "chat" | "responses"; readonly after: number }[] {
  const list = objectsIn(messages);
  const answered = new Set(
    list.flatMap((message) => [textIn(message["tool_call_id"]), isOutput(message) ? textIn(message["call_id"]) : ""]),
  );
  return list.flatMap((message, index) => {
    const chat = objectsIn(message["tool_calls"]).map(({ id }) => ({ call: textIn(id), form: "chat" as const }));
    const items = isCall(message) ? [{ call: textIn(message["call_id"]), form: "responses" as const }] : [];
    return [...chat, ...items]
      .filter(({ call }) => !answered.has(call))
      .map((found) => ({ ...found, after: endOfBatch(list, index) }));
  });
}

/**
 * Adds a result for every tool call without one, so that a stored conversation can continue: providers reject a history
 * with unanswered calls.
 */
export function sealDanglingToolCalls<TMessage>(
  messages: readonly TMessage[],
  { text = SEAL_TEXT }: { readonly text?: string } = {},
): TMessage[] {
  const sealed: TMessage[] = [];
  const dangling = danglingCalls(messages);
  for (const [index, message] of messages.entries()) {
    sealed.push(message);
    for (const { call, form } of dangling.filter(({ after }) => after === index)) {
      const result =
        form === "chat"
          ? { role: "tool", tool_call_id: call, content: text }
          : { type: "function_call_output", call_id: call, output: text };
      // A result is a valid member of the list, whatever its union type is called.
      sealed.push(result as TMessage);
    }
  }
  return sealed;
}

function isOutput(message: LooseObject): boolean {
  return message["type"] === "function_call_output" || message["type"] === "custom_tool_call_output";
}

/** Results come together, after all calls of a batch. */
function endOfBatch(list: readonly LooseObject[], index: number): number {
  let end = index;
  for (
    let next = list[end + 1];
    next !== undefined && (next["role"] === "tool" || isCall(next) || isOutput(next));
    next = list[end + 1]
  )
    end += 1;
  return end;
}
