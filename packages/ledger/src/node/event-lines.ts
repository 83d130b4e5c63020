import type { RunEvent } from "@phasekit/core";

/** One line of JSON per event, the last one without its end. Types come first, so that no event can look like one of the log's own lines. */
export function encodeEvents(events: readonly RunEvent[]): string {
  const [first] = events;
  return events.length === 1 && first !== undefined ? encodeEvent(first) : events.map(encodeEvent).join("\n");
}

function encodeEvent(event: RunEvent): string {
  const line = JSON.stringify(event);
  return line.startsWith('{"type":') ? line : JSON.stringify(typeFirst(event));
}

/** The events of lines that verified, so that they are what was written. */
export function decodeEvents(lines: Buffer): RunEvent[] {
  if (lines.length === 0) return [];
  const text = lines.toString("utf8", 0, lines.length - 1);
  return JSON.parse(`[${text.replaceAll("\n", ",")}]`) as RunEvent[];
}

function typeFirst({ type, ...rest }: RunEvent): object {
  return { type, ...rest };
}
