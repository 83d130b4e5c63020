import type { RunEvent } from "@phasekit/core";
import { invalidAppend } from "./errors.ts";

/**
 * An event as the JSON that every store writes.
 * @throws INVALID_APPEND for an event that JSON cannot carry, such as one with a cycle or a BigInt
 */
export function encodeEvent(run: string, event: RunEvent): string {
  let text: unknown;
  try {
    text = JSON.stringify(event);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw invalidAppend(run, `they cannot be written as JSON (${why})`);
  }
  // An event with a `toJSON` of its own may become anything.
  if (typeof text !== "string" || !text.startsWith("{"))
    throw invalidAppend(run, "they cannot be written as JSON (one is not an object)");
  return text;
}
