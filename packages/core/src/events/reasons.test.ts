import { describe, expect, it } from "vitest";
import { isReason, reasonCodes } from "./reason-codes.ts";
import { countsAgainstModel, reasons } from "./reasons.ts";

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
    expect(countsAgainstModel(reason)).toBe(counts);
  });

  it("the reasons are these, with this blame; a change of meaning needs a new code", () => {
    expect(
      Object.fromEntries(
        reasonCodes.map((code) => [
          code,
          `${reasons[code].blame}${reasons[code].countsAgainstModel ? ", counts" : ""}`,
        ]),
      ),
    ).toMatchInlineSnapshot(`
      {
        "abandoned": "agent, counts",
        "aborted_cumulative_loop": "policy",
        "aborted_stagnation": "policy",
        "advanced": "none",
        "answer_empty": "agent, counts",
        "answer_truncated": "agent, counts",
        "archive_timeout": "policy",
        "asked": "none",
        "cancelled": "user",
        "connection_error": "provider",
        "content_filtered": "provider",
        "context_overflow": "agent, counts",
        "cost_limit": "agent, counts",
        "done": "none",
        "done_unverified": "agent, counts",
        "finish_unknown": "provider",
        "function_call_failed": "agent, counts",
        "gave_up": "agent, counts",
        "interrupted": "host",
        "parent_ended": "host",
        "phase_timeout": "agent, counts",
        "policy_stop": "policy",
        "rate_limit": "provider",
        "rate_limit_mid_run": "provider",
        "rolled_back": "user",
        "skipped": "user",
        "step_limit": "agent, counts",
        "suspended": "user",
        "timeout": "agent, counts",
        "token_limit": "agent, counts",
        "turn_limit": "agent, counts",
        "unknown": "agent, counts",
        "upstream_unhealthy": "provider",
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
