import type { JsonObject, Redactor, RunEvent } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { hideTexts } from "@phasekit/ledger/story";

/** Returns an event without secrets. A redactor that fails costs the texts of the event, and no more. */
export function redacted(event: RunEvent, redact: Redactor): RunEvent {
  try {
    const { type, seq, at, call } = event;
    const found = redact(event as unknown as JsonObject);
    return { ...found, type, seq, at, ...defined({ call }) } as unknown as RunEvent;
  } catch {
    return hideTexts()(event) as unknown as RunEvent;
  }
}
