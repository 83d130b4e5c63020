import type { EventOf } from "./run-event.ts";
import { hasReadFault } from "../ingest/faults-of.ts";

/**
 * True if a call could not be read: an interpreter or the redactor failed on it. It may have changed anything, and it
 * shows nothing. Logs of earlier versions say so by their faults alone.
 */
export function isUnread({ meaning, faults }: Pick<EventOf<"tool.finished">, "meaning" | "faults">): boolean {
  return meaning.unread === true || (faults !== undefined && hasReadFault({ faults }));
}
