import type { RunEvent } from "@phasekit/core";
import { encodeEvent } from "../encode-event.ts";

/**
 * An event as a line of JSON, without its end. The type comes first, so that no event can look like one of the log's
 * own lines.
 * @throws INVALID_APPEND
 */
export function eventToLine(run: string, event: RunEvent): string {
  const line = encodeEvent(run, event);
  return line.startsWith('{"type":') ? line : encodeEvent(run, typeFirst(event));
}

/** The events of lines that verified, so that they are what was written. */
export function decodeEvents(lines: Buffer): RunEvent[] {
  if (lines.length === 0) return [];
  const text = lines.toString("utf8", 0, lines.length - 1);
  return JSON.parse(`[${text.replaceAll("\n", ",")}]`) as RunEvent[];
}

function typeFirst({ type, ...rest }: RunEvent): RunEvent {
  return { type, ...rest } as RunEvent;
}
