import type { IngestFault } from "../events/run-event.ts";
import type { LooseObject } from "../text/loose-object.ts";

/** The failures an event carries: of this ingestion so far, and of an earlier one if it comes from a log. */
export function faultsOf({ faults }: LooseObject): readonly IngestFault[] {
  return Array.isArray(faults) ? (faults as readonly IngestFault[]) : [];
}

/** True if an interpreter or the redactor failed on an event, so that a part of it was not read. */
export function hasReadFault(event: { readonly faults?: unknown }): boolean {
  return faultsOf(event).some(({ during }) => during === "interpret" || during === "redact");
}
