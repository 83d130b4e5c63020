/**
 * Every reason code, and whether a run that ended so is resumed as it is: something outside its work cut it short, such
 * as the provider, the host, a limit or an open question. After any other end the run has come to a conclusion, and
 * only `reopen` continues it. Apart from the table that explains the reasons, so that a bundle which never explains
 * does not carry it.
 */
const RESUMABLE = {
  done: false,
  done_unverified: false,
  gave_up: false,
  asked: true,
  advanced: false,
  skipped: false,
  rolled_back: false,
  suspended: true,
  cancelled: false,
  abandoned: false,
  parent_ended: true,
  step_limit: true,
  turn_limit: true,
  token_limit: true,
  cost_limit: true,
  phase_timeout: true,
  policy_stop: false,
  context_overflow: true,
  content_filtered: true,
  answer_truncated: true,
  answer_empty: false,
  finish_unknown: true,
  timeout: true,
  rate_limit: true,
  rate_limit_mid_run: true,
  upstream_unhealthy: true,
  connection_error: true,
  function_call_failed: false,
  validation_giveup: false,
  unknown: false,
  aborted_stagnation: false,
  aborted_cumulative_loop: false,
  interrupted: true,
  archive_timeout: true,
} as const;

/** Why a phase or a run ended: a closed list. */
export type Reason = keyof typeof RESUMABLE;

export const reasonCodes = /* @__PURE__ */ Object.keys(RESUMABLE) as readonly Reason[];

/** True if a text is one of the reason codes. */
export function isReason(code: unknown): code is Reason {
  return (reasonCodes as readonly unknown[]).includes(code);
}

/** True if a run that ended for this reason is resumed as it is; otherwise only `reopen` continues it. */
export function isResumable(reason: Reason): boolean {
  return isReason(reason) && RESUMABLE[reason];
}
