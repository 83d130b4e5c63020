import { unknownEvent } from "./errors.ts";
import { isDerivedType, isHostType, type RunEvent } from "./facts/run-event.ts";

type Stored = Readonly<Record<string, unknown>>;

/**
 * Steps from one version of an event's shape to the next, by type: the entry at index 0 leads from version 1 to 2.
 * A stored format never changes in place; a change adds a step here.
 */
const STEPS: Readonly<Record<string, readonly ((event: Stored) => Stored)[]>> = {};

/**
 * Brings a stored event of any past version to today's shape. An event of today's shape comes back as it is.
 * @throws UNKNOWN_EVENT for what is no event, and for one written by a newer version.
 */
export function upgradeEvent(stored: unknown): RunEvent {
  if (typeof stored !== "object" || stored === null) throw unknownEvent(undefined, "it is not an object");
  const { type, seq, at, v = 1 } = stored as Stored;
  if (typeof type !== "string" || !(isHostType(type) || isDerivedType(type))) throw unknownEvent(type, "the type is not known");
  if (typeof seq !== "number" || typeof at !== "number") throw unknownEvent(type, "it has no sequence number or time");
  const steps = STEPS[type] ?? [];
  if (typeof v !== "number" || v < 1 || v > steps.length + 1) throw unknownEvent(type, `version ${String(v)} is not known`);
  let event = stored as Stored;
  for (const step of steps.slice(v - 1)) event = step(event);
  return event as unknown as RunEvent;
}
