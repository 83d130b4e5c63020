import type { RunPort } from "@phasekit/core";
import { type ConversationMessage, type LooseObject, resultToEvent, shieldRun, toObject } from "@phasekit/core/adapter";

/** Converts the input of a model call: the text of its messages, and the ids of its calls. */
export function toConversation(items: readonly unknown[]): readonly ConversationMessage[] {
  return items.map(toObject).flatMap((item): readonly ConversationMessage[] => {
    const { type, role, callId } = item;
    const id = typeof callId === "string" ? { id: callId } : {};
    if (role === "user" || role === "system" || role === "assistant") return [{ role, text: textOf(item), ...id }];
    if (type === "function_call") return [{ role: "assistant", text: "", ...id }];
    // Reasoning and hosted calls belong to the answer around them.
    return typeof callId === "string" ? [{ role: "tool", text: "", ...id }] : [];
  });
}

/** The text of a message. */
export function textOf({ content }: LooseObject): string {
  if (typeof content === "string") return content;
  return partsOf(content)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("");
}

/** The members of a list that are objects. */
export function partsOf(list: unknown): readonly LooseObject[] {
  return Array.isArray(list) ? list.map(toObject) : [];
}

/** True if an answer of the model begins with this item. */
export function isAnswerStart(item: unknown, before: unknown): boolean {
  return isOfAnswer(item) && !isOfAnswer(before);
}

function isOfAnswer(item: unknown): boolean {
  const { type, role } = toObject(item);
  return role === "assistant" || type === "function_call" || type === "reasoning";
}

export function userItem(text: string): object {
  return { type: "message", role: "user", content: text };
}

export function readUserItem(item: unknown): string | undefined {
  const { role, content } = toObject(item);
  return role === "user" && typeof content === "string" ? content : undefined;
}

/**
 * Records the results in the input whose calls are still pending: of hand-offs, of tools other than functions, and of
 * calls the SDK answered itself.
 */
export function recordGivenResults(run: RunPort, items: readonly unknown[]): void {
  const { attempt, record } = shieldRun(run);
  attempt(
    "input",
    () => {
      if (run.view.pending.size === 0) return;
      for (const { type, callId, output } of items.map(toObject)) {
        const isResult = typeof type === "string" && /_(result|output)$/.test(type);
        const pending = isResult && typeof callId === "string" ? run.view.pending.get(callId) : undefined;
        if (pending === undefined || pending.refused !== undefined) continue;
        const { text } = toObject(output);
        record(resultToEvent({ call: String(callId), tool: pending.tool }, text ?? output));
      }
    },
    undefined,
  );
}
