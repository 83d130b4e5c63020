import { clipText } from "@phasekit/core/adapter";
import { MAX_TEXT } from "./text-scanner.ts";
import type { ToolResult } from "@phasekit/core";
import type { ToolInput } from "../calls/tool-input.ts";

/**
 * The answer of a tool as text. A long one loses its middle just as in a log, so the work per answer is bounded, and a
 * run that is resumed knows what it knew before.
 */
export function answerText({ output }: Pick<ToolResult, "output">): string {
  return clipText(plainLines(jsonText(output)), MAX_TEXT);
}

/** The text with a line end of one character, as written or inside JSON: Windows prints two for the same answer. */
export function plainLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\\r\\n", "\\n");
}

/** Any value as text: JSON, or nothing for a value that has none. */
function jsonText(value: unknown): string {
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

const MAX_PARTS = 256;

/** The arguments of a call as text: every text and number in it, on a line of its own. */
export function questionText(given: ToolInput): string {
  if (typeof given === "string") return given;
  const parts: string[] = [];
  const visit = (value: unknown): void => {
    if (parts.length >= MAX_PARTS) return;
    if (typeof value === "string" || typeof value === "number") parts.push(String(value));
    else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) visit(item);
  };
  visit(given);
  return parts.join("\n");
}
