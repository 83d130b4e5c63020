import { describe, expect, it } from "vitest";
import { isReason, reasonCodes } from "./reason-codes.ts";
import { reasons } from "./reasons.ts";

describe("reasons", () => {
  // The twelve of seed 003, and how its last sentence on `reason` scores them.
  it.each([
    ["timeout", true],
    ["function_call_failed", true],
    ["validation_giveup", true],
    ["unknown", true],
    ["aborted_stagnation", false],
    ["aborted_cumulative_loop", false],
    ["interrupted", false],
    ["archive_timeout", false],
    ["rate_limit", false],
    ["rate_limit_mid_run", false],
    ["upstream_unhealthy", false],
    ["connection_error", false],
  ] as const)("%s counts against the model: %s", (reason, counts) => {
    expect(reasons[reason].countsAgainstModel).toBe(counts);
  });

  it("the reasons are these, with this blame, and can be resumed or not; a change of meaning needs a new code", () => {
    expect(
      Object.fromEntries(
        reasonCodes.map((code) => {
          const { blame, countsAgainstModel: counts, resumable } = reasons[code];
          return [code, `${blame}${counts ? ", counts" : ""}${resumable ? ", resumable" : ""}`];
        }),
      ),
    ).toMatchInlineSnapshot(`
      {
        "abandoned": "agent, counts",
        "aborted_cumulative_loop": "policy",
        "aborted_stagnation": "policy",
        "advanced": "none",
        "answer_empty": "agent, counts",
        "answer_truncated": "agent, counts, resumable",
        "archive_timeout": "policy, resumable",
        "asked": "none, resumable",
        "cancelled": "user",
        "connection_error": "provider, resumable",
        "content_filtered": "provider, resumable",
        "context_overflow": "agent, counts, resumable",
        "cost_limit": "agent, counts, resumable",
        "done": "none",
        "done_unverified": "agent, counts",
        "finish_unknown": "provider, resumable",
        "function_call_failed": "agent, counts",
        "gave_up": "agent, counts",
        "interrupted": "host, resumable",
        "parent_ended": "host, resumable",
        "phase_timeout": "agent, counts, resumable",
        "policy_stop": "policy",
        "rate_limit": "provider, resumable",
        "rate_limit_mid_run": "provider, resumable",
        "rolled_back": "user",
        "skipped": "user",
        "step_limit": "agent, counts, resumable",
        "suspended": "user, resumable",
        "timeout": "agent, counts, resumable",
        "token_limit": "agent, counts, resumable",
        "turn_limit": "agent, counts, resumable",
        "unknown": "agent, counts",
        "upstream_unhealthy": "provider, resumable",
        "validation_giveup": "agent, counts",
      }
    `);
  });

  it("reasons blame no one when nothing went wrong, and never count others' failures against the model", () => {
    for (const code of reasonCodes) {
      const { blame, countsAgainstModel: counts } = reasons[code];
      expect(counts, code).toBe(blame === "agent");
    }
  });

  it.each(reasonCodes.map((code) => [code]))("%s has one sentence for people", (code) => {
    expect(reasons[code].text).toMatch(/^[A-Z][^.]*\.$/);
  });

  it.each([
    ["done", true],
    ["toString", false],
    ["Done", false],
    [undefined, false],
    [5, false],
  ])("isReason(%j) is %s", (code, expected) => {
    expect(isReason(code)).toBe(expected);
  });
});
