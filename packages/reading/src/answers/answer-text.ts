import type { ToolResult } from "@phasekit/core";

/** Characters of an answer that are read: its head and its tail. */
const MAX_ANSWER = 16_384;

/** The answer of a tool as text. Long answers lose their middle, so the work per answer is bounded. */
export function answerText({ output }: Pick<ToolResult, "output">): string {
  const text = jsonText(output);
  if (text.length <= MAX_ANSWER) return text;
  return `${text.slice(0, MAX_ANSWER / 2)}\n${text.slice(-MAX_ANSWER / 2)}`;
}

/** Any value as text: JSON, or nothing for a value that has none. */
export function jsonText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  try {
    // A function or a symbol has no JSON, whatever the types say.
    const text: unknown = JSON.stringify(value);
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}
