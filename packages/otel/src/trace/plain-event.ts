import type { JsonObject, RunEvent } from "@phasekit/core";
import { toObject } from "@phasekit/core/adapter";

/** Decides what leaves the process with text on, and what without. */
export interface EventFilter {
  readonly text: boolean;
  /** Takes the texts out of an event. */
  readonly hide: (event: RunEvent) => JsonObject;
}

/** Returns an event without inputs and outputs of tools. With text off, every other text is left out too. */
export function plainEvent(event: RunEvent, { text, hide }: EventFilter): JsonObject {
  if (!text) return hide(event);
  const { input: _input, output: _output, policies: _policies, interpreters: _interpreters, ...rest } = toObject(event);
  return rest as JsonObject;
}
