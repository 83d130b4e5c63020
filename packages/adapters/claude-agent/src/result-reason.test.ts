import type { TerminalReason } from "@anthropic-ai/claude-agent-sdk";
import type { Reason } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { resultToReason } from "./result-reason.ts";

/** Every reason of the SDK's types: a new one does not compile until it has a line here. */
const reasons: Readonly<Record<TerminalReason, Reason | undefined>> = {
  completed: undefined,
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
  hook_stopped: "policy_stop",
  stop_hook_prevented: "policy_stop",
  // The run knows which failure it was.
  api_error: undefined,
  model_error: undefined,
  image_error: undefined,
  turn_setup_failed: undefined,
};

describe("resultToReason", () => {
  it.each(Object.entries(reasons))("%s gives %s", (terminal_reason, reason) => {
    expect(resultToReason({ subtype: "success", terminal_reason })).toBe(reason);
  });

  it.each([
    ["error_max_turns", "step_limit"],
    ["error_max_budget_usd", "cost_limit"],
    ["error_max_structured_output_retries", "validation_giveup"],
    ["error_during_execution", undefined],
    ["success", undefined],
    ...Object.getOwnPropertyNames(Object.prototype).map((name): [string, undefined] => [name, undefined]),
  ])("reads the subtype %s of older versions as %s", (subtype, reason) => {
    expect(resultToReason({ subtype })).toBe(reason);
  });
});
