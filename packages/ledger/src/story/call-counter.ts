import type { RunEvent } from "@phasekit/core";

const MAX_PENDING = 1000;

/**
 * Tells the events that begin a call: its request, or its result where a host reports no request. Every count of calls
 * comes from here.
 */
export function createCallCounter(): (event: RunEvent) => boolean {
  const pending = new Set<string>();
  return (event) => {
    if (event.type === "tool.requested") {
      const isNew = event.call === undefined || !pending.has(event.call);
      if (event.call !== undefined && pending.size < MAX_PENDING) pending.add(event.call);
      return isNew;
    }
    return event.type === "tool.finished" && (event.call === undefined || !pending.delete(event.call));
  };
}
