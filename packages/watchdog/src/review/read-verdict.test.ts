import { describe, expect, it } from "vitest";
import { readVerdict } from "./read-verdict.ts";

describe("readVerdict", () => {
  it.each([
    // An approval in plain shapes.
    ["approve", "approve"],
    ["Approved.", "approve"],
    ["**APPROVED**", "approve"],
    ["LGTM", "approve"],
    ["approve: the plan is sound", "approve"],
    ["Verdict: approve", "approve"],
    ["Final verdict: **Approved**", "approve"],
    ["The plan looks fine.\n\nVerdict: APPROVED", "approve"],
    ["Status = approved", "approve"],
    ["I approve.", "approve"],
    ["Rejecting this would be wrong. Approve.", "approve"],
    ["I would not reject this. I approve it.", "approve"],
    ['{"verdict":"approve"}', "approve"],
    ['{"status":"APPROVED","feedback":"go on"}', "approve"],
    ['```json\n{ "verdict": "approved" }\n```', "approve"],
    ['Here is my answer:\n```json\n{"verdict":"approve"}\n```', "approve"],
    // A refusal is never read as an approval.
    ["I cannot approve this.", "needs-changes"],
    ["I can't approve this yet.", "needs-changes"],
    ["I can’t approve this.", "needs-changes"],
    ["Not approved.", "needs-changes"],
    ["This is not something I would approve.", "needs-changes"],
    ["I do not approve of repeating the call.", "needs-changes"],
    ["I'm unable to approve this plan.", "needs-changes"],
    ["I refuse to approve.", "needs-changes"],
    ["I would approve if the tests passed.", "needs-changes"],
    ["Approved, provided that the tests pass.", "needs-changes"],
    ["I will approve once you have fixed the cause.", "needs-changes"],
    ["Fix the tests before I approve.", "needs-changes"],
    ["No approval until it is tested.", "needs-changes"],
    ["Verdict: not approved", "needs-changes"],
    ["Never approve a loop like this.", "needs-changes"],
    ["I could approve this, but it repeats itself.", "needs-changes"],
    ["Instead of approving, ask for help.", "needs-changes"],
    ["I like it. It should be approved by somebody else.", "needs-changes"],
    ["Without approval from a person this must stop.", "needs-changes"],
    ["I withhold my approval.", "needs-changes"],
    // Changes.
    ["needs changes", "needs-changes"],
    ["needs-changes: run the tests", "needs-changes"],
    ["NEEDS_CHANGES", "needs-changes"],
    ["Verdict: needs changes", "needs-changes"],
    ["Changes requested: use the existing file.", "needs-changes"],
    ["Changes are required.", "needs-changes"],
    ["I approve of the idea. Verdict: needs changes.", "needs-changes"],
    ["Verdict: needs-changes\nOnce done I will approve.", "needs-changes"],
    ['{"verdict":"needs_changes","feedback":"stop"}', "needs-changes"],
    // Rejections.
    ["reject", "reject"],
    ["Rejected: it loops.", "reject"],
    ["Verdict: reject", "reject"],
    ["I approve of the approach in general, but I reject this plan.", "reject"],
    ["abandon", "reject"],
    ["The run should end here.\nDecision: abandoned", "reject"],
    ['{"verdict":"reject"}', "reject"],
    // Neither.
    ["", "needs-changes"],
    ["Great work, keep going!", "needs-changes"],
    ["Run the tests.", "needs-changes"],
    ['{"verdict": "approve"', "needs-changes"],
    ['{"verdict": }', "needs-changes"],
    ['{"feedback":"approve"}', "needs-changes"],
    ['```json\n{"verdict": approve}\n```', "needs-changes"],
    ["{}", "needs-changes"],
  ])("%j is %s", (text, verdict) => {
    expect(readVerdict(text).verdict).toBe(verdict);
  });

  it.each([
    ["approve: the plan is sound", "the plan is sound"],
    ["Verdict: needs changes\nRun the tests.", "Run the tests."],
    ["The plan repeats itself.\nVerdict: reject", "The plan repeats itself."],
    ['{"verdict":"approve","feedback":"go on"}', "go on"],
    ["Run the tests.", "Run the tests."],
    ["approve", undefined],
  ])("%j says %j besides", (text, feedback) => {
    expect(readVerdict(text).feedback).toBe(feedback);
  });
});
