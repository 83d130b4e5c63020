import { isDerivedType, isHostType, type RunEvent } from "@phasekit/core";
import { appendConflict, invalidAppend } from "./errors.ts";

/**
 * Throws when events cannot follow a log that ends at `end`; every store asks this before it writes.
 * @throws APPEND_CONFLICT, INVALID_APPEND
 */
export function checkAppend(run: string, events: readonly RunEvent[], { after, end }: { readonly after: number; readonly end: number }): void {
  if (run === "") throw invalidAppend(run, "the run has no id");
  if (events.length === 0) throw invalidAppend(run, "there are none");
  for (const [index, event] of events.entries()) {
    const { type, seq } = event as Partial<RunEvent>;
    if (typeof type !== "string" || !(isHostType(type) || isDerivedType(type))) throw invalidAppend(run, `"${String(type)}" is not the name of a fact`);
    if (seq !== after + index + 1) throw invalidAppend(run, `expected event ${String(after + index + 1)}, found ${String(seq)}`);
  }
  const first = events[0];
  if (after === 0 && (first?.type !== "run.started" || first.run !== run)) throw invalidAppend(run, "a log begins with the run.started of its run");
  if (after !== end) throw appendConflict(run, { after, end });
}
