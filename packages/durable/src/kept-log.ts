import type { EventOf, RunEvent, RunPort } from "@phasekit/core";
import { hashText } from "@phasekit/core/adapter";
import { eventsReleased, notDurable } from "./errors.ts";

/** The events of a durable run that are not stored yet, and a hash of all there were. */
interface KeptLog {
  events: RunEvent[];
  /** The last event that the caller said is stored. */
  released: number;
  seq: number;
  hash: string;
  /** The first event that the run rejected. */
  rejected: EventOf<"event.rejected"> | undefined;
}

const logs = new WeakMap<RunPort, KeptLog>();

/** Keeps the events of a run from its first one on. */
export function keepLog(run: RunPort): void {
  const log: KeptLog = { events: [], released: 0, seq: 0, hash: "", rejected: undefined };
  logs.set(run, log);
  run.subscribe((step) => {
    for (const event of step) {
      log.events.push(event);
      if (event.type === "event.rejected") log.rejected ??= event;
      log.seq = event.seq;
      log.hash = hashText(log.hash + JSON.stringify(event));
    }
  });
}

/** Returns how far the log is and a hash of it: two logs with the same mark are the same, byte for byte. */
export function markOf(run: RunPort): string {
  const { seq, hash } = logOf(run);
  return `${String(seq)}:${hash}`;
}

/**
 * Returns the events of a durable run after `fromSeq`, the last one that is stored. The same call gives the same
 * events, so a step that is retried stores nothing twice. Events up to `fromSeq` are forgotten: memory holds what is
 * not stored.
 *
 * @example
 * const events = newEvents(run, stored);
 * stored = await steps.step("log", () => storeEvents(store, run.id, { events, after: stored }));
 * @throws NOT_DURABLE, EVENTS_RELEASED
 */
export function newEvents(run: RunPort, fromSeq: number): readonly RunEvent[] {
  const log = writableLog(run);
  if (fromSeq < log.released) throw eventsReleased(fromSeq, log.released);
  log.released = fromSeq;
  log.events = log.events.filter(({ seq }) => seq > fromSeq);
  // A copy: the run continues while a step stores these.
  return [...log.events];
}

/** The log of a durable run, as far as it is kept. */
export function logOf(run: RunPort): Readonly<KeptLog> {
  return writableLog(run);
}

function writableLog(run: RunPort): KeptLog {
  const log = logs.get(run);
  if (log === undefined) throw notDurable(run.id);
  return log;
}
