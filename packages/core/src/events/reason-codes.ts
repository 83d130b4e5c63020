/**
 * Every reason code. Apart from the table that explains them, so that a bundle which never explains does not carry it.
 */
export const reasonCodes = [
  "done",
  "done_unverified",
  "gave_up",
  "asked",
  "advanced",
  "skipped",
  "rolled_back",
  "suspended",
  "cancelled",
  "abandoned",
  "parent_ended",
  "step_limit",
  "turn_limit",
  "token_limit",
  "cost_limit",
  "phase_timeout",
  "policy_stop",
  "context_overflow",
  "content_filtered",
  "answer_truncated",
  "answer_empty",
  "finish_unknown",
  "timeout",
  "rate_limit",
  "rate_limit_mid_run",
  "upstream_unhealthy",
  "connection_error",
  "function_call_failed",
  "validation_giveup",
  "unknown",
  "aborted_stagnation",
  "aborted_cumulative_loop",
  "interrupted",
  "archive_timeout",
] as const;

/** Why a phase or a run ended: a closed list. */
export type Reason = (typeof reasonCodes)[number];

/** True if a text is one of the reason codes. */
export function isReason(code: unknown): code is Reason {
  return (reasonCodes as readonly unknown[]).includes(code);
}
