import type { Reason } from "@phasekit/core";
import { type LooseObject, tableOf, textIn } from "@phasekit/core/adapter";

/** Why Claude Code says that a query is over. The reasons that say nothing more than its last failure are left out. */
const REASONS: Readonly<Record<string, Reason>> = tableOf({
  max_turns: "step_limit",
  budget_exhausted: "cost_limit",
  blocking_limit: "context_overflow",
  prompt_too_long: "context_overflow",
  rapid_refill_breaker: "context_overflow",
  malformed_tool_use_exhausted: "function_call_failed",
  tool_deferred_unavailable: "function_call_failed",
  structured_output_retry_exhausted: "validation_giveup",
  aborted_streaming: "interrupted",
  aborted_tools: "interrupted",
  tool_deferred: "suspended",
  background_requested: "suspended",
  // The hook of the user, not of Phasekit: a run that Phasekit stopped has its own reason.
  hook_stopped: "policy_stop",
  stop_hook_prevented: "policy_stop",
  // Older versions of Claude Code have the subtype alone.
  error_max_turns: "step_limit",
  error_max_budget_usd: "cost_limit",
  error_max_structured_output_retries: "validation_giveup",
});

/** The reason a result message gives for the end of a run; `undefined` if the run knows better, or it is done. */
export function resultToReason(result: LooseObject): Reason | undefined {
  return REASONS[textIn(result["terminal_reason"])] ?? REASONS[textIn(result["subtype"])];
}
