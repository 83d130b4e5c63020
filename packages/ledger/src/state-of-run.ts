import type { Reason } from "@phasekit/core";
import type { PhaseRecord } from "./records/phase-record.ts";

/**
 * The state of a run. `clean`: done, and a gate or every operation vouches for it; `success`: done, nothing was
 * checked; `partial`: there is usable output, but not all of it, or a gate objected; `stalled`: a breaker ended a
 * loop.
 */
export type TerminalState =
  "running" | "success" | "clean" | "partial" | "failed" | "stalled" | "interrupted" | "timed-out";

const STATES: Readonly<Partial<Record<Reason, TerminalState>>> = {
  done: "success",
  advanced: "success",
  done_unverified: "partial",
  asked: "partial",
  answer_truncated: "partial",
  aborted_stagnation: "stalled",
  aborted_cumulative_loop: "stalled",
  interrupted: "interrupted",
  cancelled: "interrupted",
  suspended: "interrupted",
  step_limit: "interrupted",
  parent_ended: "interrupted",
  timeout: "timed-out",
  phase_timeout: "timed-out",
  archive_timeout: "timed-out",
};

const DONE: readonly Reason[] = ["done", "advanced", "done_unverified"];

/** The state of a run that ended for this reason, or has not ended. */
export function stateOf({
  reason,
  verified,
  alive,
  record,
}: {
  readonly reason: Reason | undefined;
  readonly verified: boolean | undefined;
  readonly alive: boolean;
  readonly record: PhaseRecord | undefined;
}): TerminalState {
  if (reason === undefined) return alive ? "running" : "interrupted";
  const state = STATES[reason] ?? "failed";
  // The run came to its end, and a condition or a compilation says that the work is not there.
  if (DONE.includes(reason) && record?.success === false) return "failed";
  if (state !== "success") return state;
  if (record?.cleanCompletion === false) return "partial";
  return verified === true || record?.cleanCompletion === true ? "clean" : "success";
}
