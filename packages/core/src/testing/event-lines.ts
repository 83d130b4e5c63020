import type { RunEvent } from "../events/run-event.ts";

/**
 * The fields two adapters need not agree on: ids, times, the model's id, and what only the host knows. Nothing else is
 * left out, except zeros in usage (some providers report no cached tokens as nothing, some as 0) and times in metrics.
 */
const ignoredFields: readonly string[] = [
  // ids
  "run",
  "call",
  "child",
  "parent",
  // places and times
  "seq",
  "cause",
  "at",
  "durationMs",
  "resetAt",
  // the model's id
  "model",
  // the host's own words for what went wrong
  "error",
  "message",
];

/**
 * Renders events as lines of text, without the fields adapters need not agree on. The header is left out, and results
 * of parallel calls are in the order of the calls.
 */
export function eventsToLines(
  events: readonly RunEvent[],
  { ignore = [] }: { readonly ignore?: readonly string[] } = {},
): readonly string[] {
  const ignored = new Set([...ignoredFields, ...ignore]);
  return inBatchOrder(events.filter(({ type }) => type !== "run.started")).map((event) => eventToLine(event, ignored));
}

/** Results of parallel calls come in any order: adjacent ones are put in the order of their calls. */
function inBatchOrder(events: readonly RunEvent[]): readonly RunEvent[] {
  const ordered = [...events];
  for (let start = 0; start < ordered.length; start += 1) {
    let end = start;
    while (ordered[end]?.type === "tool.finished") end += 1;
    const batch = ordered.slice(start, end).sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
    ordered.splice(start, batch.length, ...batch);
    start = Math.max(start, end - 1);
  }
  return ordered;
}

function eventToLine({ type, ...fields }: RunEvent, ignored: ReadonlySet<string>): string {
  const kept = Object.entries(fields).filter(([name, value]) => !ignored.has(name) && value !== undefined);
  return [type, ...kept.map(([name, value]) => `${name}=${JSON.stringify(comparable(name, value))}`)].join(" ");
}

function comparable(name: string, value: unknown): unknown {
  if (name === "usage") return withoutZeros(value as object);
  return name === "metrics" ? { ...(value as object), activeMs: undefined } : value;
}

function withoutZeros(usage: object): object {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== 0));
}
