import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { toObject, upgradeEvent, valueChecks } from "@phasekit/core/adapter";
import { appendConflict, invalidAppend } from "./errors.ts";

/**
 * Throws when events cannot follow a log that ends at `end`, or could not be read back; every store asks this before it
 * writes.
 * @throws APPEND_CONFLICT, INVALID_APPEND
 */
export function assertAppend(
  run: string,
  events: readonly RunEvent[],
  { after, end }: { readonly after: number; readonly end: number },
): void {
  if (run === "") throw invalidAppend(run, "the run has no id");
  if (!isList(events) || events.length === 0) throw invalidAppend(run, "there are none");
  let expected = after;
  for (const event of events as readonly unknown[]) {
    expected += 1;
    const { seq, at } = toObject(event);
    if (seq !== expected) throw invalidAppend(run, `expected event ${String(expected)}, found ${String(seq)}`);
    if (!valueChecks.number(at)) throw invalidAppend(run, `event ${String(seq)} has no time, "at" is ${String(at)}`);
    assertKnown(run, event);
  }
  const first = events[0];
  if (after === 0 && (first?.type !== "run.started" || first.run !== run))
    throw invalidAppend(run, "a log begins with the run.started of its run");
  if (after !== end) throw appendConflict(run, { after, end });
}

const isList = (value: unknown): boolean => Array.isArray(value);

/** An event of a version that cannot be read would make the whole log unreadable. */
function assertKnown(run: string, event: unknown): void {
  try {
    upgradeEvent(event);
  } catch (error) {
    throw isPhasekitError(error) ? invalidAppend(run, error.message.replace(/\.$/, "")) : error;
  }
}
