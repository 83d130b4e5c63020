import type { Run } from "@phasekit/core";
import type { Schedule } from "./conversation/runtime-defaults.ts";

/** Calls `tell` after a run was active for `timeoutMs`, without suspended time. Returns a function that cancels it. */
export function whenActiveFor(
  run: Run,
  timeoutMs: number,
  { schedule, clock, tell }: { readonly schedule: Schedule; readonly clock: () => number; readonly tell: () => void },
): () => void {
  const { startedAt } = run.view;
  // The view counts up to its newest event. A running run has been active since then, too.
  const used = (): number =>
    run.view.activeMs + (run.view.status === "running" ? clock() - Math.max(run.view.now, startedAt) : 0);
  let cancel = schedule(timeoutMs, check);
  function check(): void {
    const left = timeoutMs - used();
    if (left <= 0) tell();
    else cancel = schedule(left, check);
  }
  return () => cancel();
}
