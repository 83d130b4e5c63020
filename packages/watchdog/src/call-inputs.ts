import type { EventOf } from "@phasekit/core";
import { setBounded } from "./bounded.ts";

const MAX_PENDING = 32;

/** Keeps the arguments of a requested call until its result comes: a result does not repeat them. */
export function keepInput(inputs: Map<string, unknown>, { call = "", input }: EventOf<"tool.requested">): void {
  setBounded(inputs, [call, input], MAX_PENDING);
}

/** The arguments of a finished call, from its request or from itself. */
export function takeInput(inputs: Map<string, unknown>, { call = "", input }: EventOf<"tool.finished">): unknown {
  const found = input ?? inputs.get(call);
  inputs.delete(call);
  return typeof found === "string" ? readObject(found) : found;
}

function readObject(text: string): unknown {
  if (text.length > 262_144 || !text.startsWith("{")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
