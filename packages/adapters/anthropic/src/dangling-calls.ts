import { SEAL_TEXT, textIn, toObject } from "@phasekit/core/adapter";
import { blocksOf, objectsIn } from "./content-blocks.ts";
import { isCall } from "./message-answer.ts";
import { isResult } from "./tool-results.ts";

/** Finds the calls without a result, each with the index of the message that makes it. */
export function danglingCalls(
  messages: readonly unknown[],
): readonly { readonly call: string; readonly index: number }[] {
  const blocks = objectsIn(messages).map(({ content }) => blocksOf(content));
  const answered = new Set(
    blocks
      .flat()
      .filter(isResult)
      .map((block) => textIn(block["tool_use_id"])),
  );
  return blocks.flatMap((list, index) =>
    list
      .filter((block) => isCall(block) && !answered.has(textIn(block["id"])))
      .map((block) => ({ call: textIn(block["id"]), index })),
  );
}

/**
 * Adds a result for every tool call without one, so that a stored conversation can continue: the API rejects a history
 * with unanswered calls.
 */
export function sealDanglingToolCalls<TMessage>(
  messages: readonly TMessage[],
  { text = SEAL_TEXT }: { readonly text?: string } = {},
): TMessage[] {
  const dangling = danglingCalls(messages);
  const sealed: TMessage[] = [];
  let open: readonly object[] = [];
  for (const [index, message] of messages.entries()) {
    const { role, content } = toObject(message);
    if (open.length > 0 && role === "user") {
      // Results come first in the user message after the calls.
      sealed.push({ ...message, content: [...open, ...blocksOf(content)] });
      open = [];
    } else sealed.push(message);
    const calls = dangling.filter((found) => found.index === index);
    if (calls.length > 0)
      open = calls.map(({ call }) => ({ type: "tool_result", tool_use_id: call, content: text, is_error: true }));
  }
  // A result is a valid member of the list, whatever its union type is called.
  if (open.length > 0) sealed.push({ role: "user", content: open } as TMessage);
  return sealed;
}
