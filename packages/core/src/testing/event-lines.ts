import type { RunEvent } from "../facts/run-event.ts";

/**
 * The fields two adapters need not agree on: ids, times, the model's id, and what only the host knows. Nothing else is
 * left out, except zeros in usage: some providers report no cached tokens as nothing, some as 0.
 */
export const ignoredFields: readonly string[] = [
  // ids
  "run", "call", "child", "parent",
  // places and times
  "seq", "cause", "at", "durationMs", "resetAt",
  // the model's id
  "model",
  // the host's own words for what went wrong
  "error", "message",
];

/** Events as lines of text, one each, without the fields adapters need not agree on. The header is left out. */
export function eventsToLines(events: readonly RunEvent[], { ignore = [] }: { readonly ignore?: readonly string[] } = {}): readonly string[] {
  const ignored = new Set([...ignoredFields, ...ignore]);
  return events.filter(({ type }) => type !== "run.started").map((event) => eventToLine(event, ignored));
}

function eventToLine({ type, ...fields }: RunEvent, ignored: ReadonlySet<string>): string {
  const kept = Object.entries(fields).filter(([name, value]) => !ignored.has(name) && value !== undefined);
  return [type, ...kept.map(([name, value]) => `${name}=${JSON.stringify(name === "usage" ? withoutZeros(value as object) : value)}`)].join(" ");
}

function withoutZeros(usage: object): object {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== 0));
}
