import type { EventOf } from "@phasekit/core";
import { normalizeError } from "./normalize-result.ts";

type Finished = EventOf<"tool.finished">;

/** The text of a result that comes in parts, as chat messages do; any other result as it is. */
export function unwrapped(output: unknown): unknown {
  if (typeof output === "object" && output !== null && !Array.isArray(output)) {
    const { content } = output as { readonly content?: unknown };
    return typeof content === "string" ? content : output;
  }
  if (!Array.isArray(output) || output.length === 0 || output.length > 8) return output;
  const texts = (output as readonly unknown[]).map((part) => (typeof part === "object" && part !== null ? (part as { readonly text?: unknown }).text : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : output;
}

/** A result as text, for comparing and for people. */
export function outputText(given: unknown): string {
  const output = unwrapped(given);
  return typeof output === "string" ? output : output === undefined ? "" : JSON.stringify(output);
}

/** What went wrong, without places, ids and numbers: equal for the same error seen twice. */
export function errorOf(event: Finished): string {
  // Several detectors ask about the same event, one after the other.
  if (event !== lastEvent) {
    const text = outputText(event.output);
    lastError = normalizeError(text === "" ? (event.error?.message ?? "") : text);
    lastEvent = event;
  }
  return lastError;
}

let lastEvent: Finished | undefined;
let lastError = "";

/** What says what is wrong, and not only that something is. */
const TELLS = /^.*\b(?:not found|no such|undefined|cannot \w+|could not find|unresolved|segmentation fault|permission denied|unexpected|mismatch|unknown|unsupported)\b.*$/im;

/** The first line that says what is wrong: what stands around it may be what was edited. */
export function tellingLine(text: string): string | undefined {
  const found = TELLS.exec(text.slice(0, LONG))?.[0];
  return found === undefined || found.length > LONG_LINE ? undefined : normalizeError(found);
}

const LONG = 8000;
const LONG_LINE = 1200;

/** What a result says in words: of a shell's object the errors, then the output. */
function spokenText(given: unknown): string {
  const output = unwrapped(given);
  if (typeof output !== "object" || output === null) return outputText(output);
  const { stderr, error, message, stdout, output: inner, result } = output as Readonly<Record<string, unknown>>;
  const found = [stderr, error, message, stdout, inner, result].find((text) => typeof text === "string" && text.trim() !== "");
  return typeof found === "string" ? found : outputText(output);
}

/** The first line of an error or result that says something, for people. */
export function firstWords(event: Pick<Finished, "output" | "error">, limit = 160): string {
  const text = event.error?.message ?? spokenText(event.output);
  const line = text
    .slice(0, 2000).split("\n").map((part) => part.trim()).find((part) => part !== "") ?? "";
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
