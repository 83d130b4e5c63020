import type { EventOf } from "@phasekit/core";

/** The arguments of calls that were requested and have no result yet, oldest first. */
export type CallInputs = { readonly call: string; readonly input: unknown }[];

const MAX_PENDING = 32;

/** Keeps the arguments of a requested call until its result comes: a result does not repeat them. */
export function keepInput(inputs: CallInputs, { call = "", input }: EventOf<"tool.requested">): void {
  inputs.push({ call, input });
  if (inputs.length > MAX_PENDING) inputs.shift();
}

/** The arguments of a finished call, from its request or from itself. */
export function takeInput(inputs: CallInputs, { call = "", input }: EventOf<"tool.finished">): unknown {
  const found = input ?? takePending(inputs, call);
  return typeof found === "string" ? readObject(found) : found;
}

function takePending(inputs: CallInputs, call: string): unknown {
  // Mostly there is one call at a time, and it is the newest.
  for (let index = inputs.length - 1; index >= 0; index -= 1) {
    if (inputs[index]?.call === call) return inputs.splice(index, 1)[0]?.input;
  }
  return undefined;
}

function readObject(text: string): unknown {
  if (text.length > 262_144 || !text.startsWith("{")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
