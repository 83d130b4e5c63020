import type { Run } from "@phasekit/core";
import type { Schedule } from "./system.ts";

/** Calls `tell` when a run has been active for so long; suspended time does not count. Returns the function that ends it. */
export function whenActiveFor(run: Run, timeoutMs: number, { schedule, clock, tell }: { readonly schedule: Schedule; readonly clock: () => number; readonly tell: () => void }): () => void {
  const { startedAt } = run.view;
  // The view counts up to its newest event; a run at work has been active since then, too.
  const used = (): number => run.view.activeMs + (run.view.status === "running" ? clock() - Math.max(run.view.now, startedAt) : 0);
  let cancel = schedule(timeoutMs, check);
  function check(): void {
    const left = timeoutMs - used();
    if (left <= 0) tell();
    else cancel = schedule(left, check);
  }
  return () => cancel();
}
