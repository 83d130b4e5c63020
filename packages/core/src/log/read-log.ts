import { damagedLog } from "../errors.ts";
import { type HostEvent, isHostEvent, type RunEvent } from "../events/run-event.ts";
import { upgradeEvent } from "./upgrade-event.ts";

/** A log whose events are whole and in order. */
export interface ReadLog {
  readonly header: HostEvent<"run.started">;
  readonly events: readonly RunEvent[];
}

/**
 * Brings stored events to today's shape and checks that nothing is missing between them.
 * @throws DAMAGED_LOG, UNKNOWN_EVENT
 */
export function readLog(stored: readonly unknown[]): ReadLog {
  const events = stored.map(upgradeEvent);
  const [header] = events;
  if (header === undefined) throw damagedLog("it is empty", 1);
  if (header.type !== "run.started") throw damagedLog(`it begins with "${header.type}"`, header.seq);
  let step = header.seq;
  let at = header.at;
  for (const [index, event] of events.entries()) {
    if (event.seq !== index + 1)
      throw damagedLog(`expected sequence number ${String(index + 1)}, found ${String(event.seq)}`, index + 1);
    if (event.at < at) throw damagedLog("time runs backwards", event.seq);
    at = event.at;
    if (isHostEvent(event)) step = event.seq;
    else if (event.cause !== step)
      throw damagedLog(
        `"${event.type}" names event ${String(event.cause)} as its cause, but belongs to ${String(step)}`,
        event.seq,
      );
  }
  return { header, events };
}

/** The index of the last host event: where the last step begins. */
export function lastStepIndex(events: readonly RunEvent[]): number {
  return events.findLastIndex(isHostEvent);
}
