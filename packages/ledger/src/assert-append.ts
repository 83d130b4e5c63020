import type { RunEvent } from "@phasekit/core";
import { derivedTypes, hostTypes } from "@phasekit/core/kit";
import { appendConflict, invalidAppend } from "./errors.ts";

const NAMES: ReadonlySet<unknown> = new Set([...hostTypes, ...derivedTypes]);

/**
 * Throws when events cannot follow a log that ends at `end`; every store asks this before it writes.
 * @throws APPEND_CONFLICT, INVALID_APPEND
 */
export function assertAppend(
  run: string,
  events: readonly RunEvent[],
  { after, end }: { readonly after: number; readonly end: number },
): void {
  if (run === "") throw invalidAppend(run, "the run has no id");
  if (events.length === 0) throw invalidAppend(run, "there are none");
  let expected = after;
  for (const { type, seq } of events as readonly Partial<RunEvent>[]) {
    expected += 1;
    if (!NAMES.has(type)) throw invalidAppend(run, `"${String(type)}" is not an event type`);
    if (seq !== expected) throw invalidAppend(run, `expected event ${String(expected)}, found ${String(seq)}`);
  }
  const first = events[0];
  if (after === 0 && (first?.type !== "run.started" || first.run !== run))
    throw invalidAppend(run, "a log begins with the run.started of its run");
  if (after !== end) throw appendConflict(run, { after, end });
}
