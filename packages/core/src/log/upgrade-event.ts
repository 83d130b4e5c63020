import { unknownEvent } from "../errors.ts";
import { isCoreType, type RunEvent } from "../events/run-event.ts";
import { nameIn, toObject } from "../text/loose-object.ts";
import { withCurrentNames } from "./policy-names.ts";

type StoredEvent = Readonly<Record<string, unknown>>;

/**
 * Steps from one version of an event's shape to the next, by type: the entry at index 0 leads from version 1 to 2.
 * A stored format never changes in place; a change adds a step here.
 */
const STEPS: Readonly<Record<string, readonly ((event: StoredEvent) => StoredEvent)[]>> = {};

/** Event types that were renamed. Stored logs keep the old name. */
const NEW_NAMES: ReadonlyMap<string, string> = new Map([
  ["fact.recorded", "event.recorded"],
  ["fact.emitted", "event.emitted"],
  ["fact.rejected", "event.rejected"],
]);

/**
 * Custom events that a package recorded under the name of one of core's events, as hooks did until v4 of the golden
 * logs. `defineEvent` and `record` refuse such names now; stored ones become the event they are named after.
 */
const ADOPTED: ReadonlyMap<unknown, (data: StoredEvent) => StoredEvent> = new Map([
  ["context.compacted", ({ trigger }: StoredEvent) => (nameIn(trigger) === undefined ? {} : { trigger })],
]);

/** The event of core that a custom one stands for; any other event as it is. */
function adopted(event: StoredEvent): StoredEvent {
  const fieldsOf = event["type"] === "event.recorded" ? ADOPTED.get(event["name"]) : undefined;
  if (fieldsOf === undefined) return event;
  const { name, data, v: _version, ...rest } = event;
  return { ...rest, type: name, ...fieldsOf(toObject(data)) };
}

/**
 * Brings a stored event of any past version to today's shape. An event of today's shape comes back as it is.
 * @throws UNKNOWN_EVENT for a value that is not an event, and for one written by a newer version.
 */
export function upgradeEvent(stored: unknown): RunEvent {
  if (typeof stored !== "object" || stored === null) throw unknownEvent(undefined, "it is not an object");
  const { type: storedType, seq, at, v = 1 } = stored as StoredEvent;
  const renamed = typeof storedType === "string" ? NEW_NAMES.get(storedType) : undefined;
  const type = renamed ?? storedType;
  if (typeof type !== "string" || !isCoreType(type)) throw unknownEvent(type, "the type is not known");
  if (typeof seq !== "number" || typeof at !== "number") throw unknownEvent(type, "it has no sequence number or time");
  const steps = STEPS[type] ?? [];
  if (typeof v !== "number" || !Number.isInteger(v) || v < 1 || v > steps.length + 1)
    throw unknownEvent(type, `version ${String(v)} is not known`);
  let event = renamed === undefined ? (stored as StoredEvent) : { ...stored, type: renamed };
  for (const step of steps.slice(v - 1)) event = step(event);
  return withCurrentNames(adopted(event)) as unknown as RunEvent;
}
