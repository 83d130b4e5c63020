import type { IngestFault } from "../events/run-event.ts";
import type { LooseObject } from "../loose-object.ts";

/** The failures an event carries: of this ingestion so far, and of an earlier one if it comes from a log. */
export function faultsOf({ faults }: LooseObject): readonly IngestFault[] {
  return Array.isArray(faults) ? (faults as readonly IngestFault[]) : [];
}
