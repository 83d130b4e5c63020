import { describe, expect, it } from "vitest";
import {
  artifactOf,
  caseOf,
  claimOf,
  itemOf,
  readiness,
  RESEARCH,
  RESEARCH_PATH,
  verdictOf,
} from "../__fixtures__/pipeline.ts";
import { type ClaimCase, type ClaimDecision, decideClaim } from "./decide-claim.ts";
import { defineContracts } from "../contract/define-contracts.ts";

const open = { open_questions: ["Which index?"] };
/** A short form of a decision, for tables. */
function short(decision: ClaimDecision): string {
  switch (decision.outcome) {
    case "advanced":
      return `advanced ${decision.to ?? "end"} by ${decision.code}${decision.skipped.length > 0 ? ` skipping ${decision.skipped.join("+")}` : ""}`;
    default:
      return `${decision.outcome} ${decision.code}`;
  }
}

const changed = defineContracts([
  {
    phase: "research",
    contract_version: 1,
    artifact_path: "docs/tickets/{identifier}/research.md",
    min_length: 10,
    validation: { mode: "judge" },
  },
  { phase: "architecture" },
]);
const trusting = defineContracts([
  {
    phase: "research",
    artifact_path: "docs/tickets/{identifier}/research.md",
    required_sections: ["risks"],
    validation: { mode: "trust", structural_checks: [], escalate_if: ["open_questions_present", "security_sensitive"] },
  },
  { phase: "architecture" },
]);
const checking = defineContracts([
  {
    phase: "research",
    artifact_path: "docs/tickets/{identifier}/research.md",
    required_sections: ["risks"],
    validation: { mode: "trust", structural_checks: ["required_sections_present"] },
  },
  { phase: "architecture" },
]);

describe("decideClaim, every statement of the documented order", () => {
  const cases: readonly { readonly name: string; readonly given: Partial<ClaimCase>; readonly expected: string }[] = [
    { name: "all checks pass", given: {}, expected: "advanced architecture by structural" },
    // 1: stale, before anything else, whatever else is wrong
    {
      name: "phase differs",
      given: { item: itemOf({ phase: "architecture", entry: 2 }) },
      expected: "stale stale_phase",
    },
    {
      name: "phase differs, and version and next phase too",
      given: {
        item: itemOf({ phase: "grooming" }),
        claim: claimOf({ contract_version: 9, recommended_next_phase: "x" }),
      },
      expected: "stale stale_phase",
    },
    {
      name: "phase differs on a held item",
      given: { item: itemOf({ phase: "grooming", held: "look" }) },
      expected: "stale stale_phase",
    },
    {
      name: "an earlier stay in the same phase",
      given: { item: itemOf({ entry: 5 }) },
      expected: "stale stale_entry",
    },
    {
      name: "the item has completed",
      given: { item: itemOf({ completed: true }) },
      expected: "stale item_completed",
    },
    { name: "the item waits for a person", given: { item: itemOf({ held: "look" }) }, expected: "waiting held" },
    {
      name: "no contract for the phase",
      given: { item: itemOf({ phase: "deploy" }), claim: claimOf({ completed_phase: "deploy" }) },
      expected: "waiting contract_missing",
    },
    // 2: preconditions, before the artifact is looked at
    {
      name: "version above",
      given: { claim: claimOf({ contract_version: 2 }) },
      expected: "rejected contract_version",
    },
    {
      name: "version 0, as when it is missing",
      given: { claim: claimOf({ contract_version: 0 }) },
      expected: "rejected contract_version",
    },
    {
      name: "version before next phase",
      given: { claim: claimOf({ contract_version: 0, recommended_next_phase: "ready" }) },
      expected: "rejected contract_version",
    },
    {
      name: "version before artifact",
      given: { claim: claimOf({ contract_version: 0 }), artifact: { status: "missing", path: RESEARCH_PATH } },
      expected: "rejected contract_version",
    },
    {
      name: "the contract was replaced, same version",
      given: { claim: claimOf({ contract_hash: "old" }) },
      expected: "rejected contract_changed",
    },
    {
      name: "another next phase",
      given: { claim: claimOf({ recommended_next_phase: "grooming" }) },
      expected: "rejected next_phase",
    },
    {
      name: "no next phase",
      given: { claim: claimOf({ recommended_next_phase: null }) },
      expected: "rejected next_phase",
    },
    {
      name: "next phase before artifact",
      given: { claim: claimOf({ recommended_next_phase: null }), artifact: { status: "missing", path: RESEARCH_PATH } },
      expected: "rejected next_phase",
    },
    // skips
    {
      name: "skip backward",
      given: {
        item: itemOf({ phase: "grooming", entry: 1 }),
        claim: claimOf({
          completed_phase: "grooming",
          recommended_next_phase: "ready",
          skip_to: "research",
          skip_reason: "x",
        }),
      },
      expected: "rejected skip_refused",
    },
    {
      name: "skip to itself",
      given: { claim: claimOf({ skip_to: "research", skip_reason: "x" }) },
      expected: "rejected skip_refused",
    },
    {
      name: "skip to an unknown phase",
      given: { claim: claimOf({ skip_to: "deploy", skip_reason: "x" }) },
      expected: "rejected skip_refused",
    },
    {
      name: "skip without a reason",
      given: { claim: claimOf({ skip_to: "grooming", skip_reason: " " }) },
      expected: "rejected skip_refused",
    },
    {
      name: "skip past a judge's phase asks for a verdict",
      given: { claim: claimOf({ skip_to: "grooming", skip_reason: "trivial" }) },
      expected: "waiting judge",
    },
    {
      name: "a verdict on the claim without the skip does not allow it",
      given: { claim: claimOf({ skip_to: "grooming", skip_reason: "trivial" }), verdicts: [verdictOf()] },
      expected: "waiting judge",
    },
    {
      name: "a verdict on the skip allows it",
      given: {
        claim: claimOf({ skip_to: "grooming", skip_reason: "trivial" }),
        verdicts: [verdictOf({ skip_to: "grooming" })],
      },
      expected: "advanced grooming by judge skipping architecture",
    },
    {
      name: "a verdict on the skip does not allow a longer one",
      given: {
        claim: claimOf({ skip_to: "ready", skip_reason: "trivial" }),
        verdicts: [verdictOf({ skip_to: "grooming" })],
      },
      expected: "waiting judge",
    },
    {
      name: "skip past a phase that is not a judge's",
      given: {
        item: itemOf({ phase: "research" }),
        contracts: defineContracts([{ phase: "research" }, { phase: "architecture" }, { phase: "ready" }]),
        claim: claimOf({ skip_to: "ready", skip_reason: "small" }),
        artifact: { status: "none" },
      },
      expected: "advanced ready by structural skipping architecture",
    },
    {
      name: "recommending the phase it skips to",
      given: {
        contracts: defineContracts([{ phase: "research" }, { phase: "architecture" }, { phase: "ready" }]),
        claim: claimOf({ skip_to: "ready", recommended_next_phase: "ready", skip_reason: "small" }),
        artifact: { status: "none" },
      },
      expected: "advanced ready by structural skipping architecture",
    },
    {
      name: "skip_to the very next phase is no skip",
      given: { claim: claimOf({ skip_to: "architecture" }) },
      expected: "advanced architecture by structural",
    },
    // promotion
    {
      name: "promotion to an allowed folder",
      given: { claim: claimOf({ promote_to: "docs/research/list.md" }) },
      expected: "advanced architecture by structural",
    },
    {
      name: "promotion elsewhere",
      given: { claim: claimOf({ promote_to: "docs/other/list.md" }) },
      expected: "rejected promotion_refused",
    },
    {
      name: "promotion out of the root",
      given: { claim: claimOf({ promote_to: "docs/research/../../x.md" }) },
      expected: "rejected promotion_refused",
    },
    // 3: artifact
    {
      name: "artifact missing",
      given: { artifact: { status: "missing", path: RESEARCH_PATH } },
      expected: "rejected artifact_missing",
    },
    {
      name: "artifact refused",
      given: { artifact: { status: "refused", path: RESEARCH_PATH, reason: "link", detail: "it is a link" } },
      expected: "rejected artifact_refused",
    },
    {
      name: "another artifact path than the contract's",
      given: { claim: claimOf({ artifact_path: "docs/other.md" }) },
      expected: "rejected artifact_path",
    },
    {
      name: "the contract's artifact path",
      given: { claim: claimOf({ artifact_path: RESEARCH_PATH }) },
      expected: "advanced architecture by structural",
    },
    // 4: sections
    {
      name: "a section missing",
      given: { artifact: artifactOf("## Problem Statement\n\nSlow.\n") },
      expected: "rejected sections_missing",
    },
    {
      name: "a section by substring",
      given: { artifact: artifactOf("## Problem\n\nSlow.\n\n## Risks\n\nNone.\n") },
      expected: "rejected sections_missing",
    },
    {
      name: "a section without text",
      given: { artifact: artifactOf("## Problem Statement\n\n## Risks\n\nNone.\n") },
      expected: "rejected sections_missing",
    },
    {
      name: "sections before escalation",
      given: { claim: claimOf(open), artifact: artifactOf("no sections") },
      expected: "rejected sections_missing",
    },
    // 5: mode and escalation
    {
      name: "structural with open questions asks for a judge",
      given: { claim: claimOf(open) },
      expected: "waiting judge",
    },
    {
      name: "structural with sensitive content asks for a judge",
      given: { artifact: artifactOf(`${RESEARCH}\nWe store password hashes.\n`) },
      expected: "waiting judge",
    },
    {
      name: "structural with a sensitive diff asks for a judge",
      given: { diff: "--- a/src/auth/login.ts\n+++ b/src/auth/login.ts\n@@ -1 +1 @@\n-a\n+b\n" },
      expected: "waiting judge",
    },
    { name: "judge mode always asks", given: { contracts: changed }, expected: "waiting judge" },
    {
      name: "trust asks for no judge and does not escalate",
      given: { contracts: trusting, claim: claimOf(open), artifact: artifactOf("passwords") },
      expected: "advanced architecture by trust",
    },
    {
      name: "trust without an artifact, when no check is listed",
      given: { contracts: trusting, artifact: { status: "missing", path: RESEARCH_PATH } },
      expected: "advanced architecture by trust",
    },
    {
      name: "trust still runs listed checks",
      given: { contracts: checking, artifact: artifactOf("nothing") },
      expected: "rejected sections_missing",
    },
    // 6: verdicts
    {
      name: "an open approval",
      given: { claim: claimOf(open), verdicts: [verdictOf()] },
      expected: "advanced architecture by judge",
    },
    {
      name: "a used approval for the same artifact, contract and stay",
      given: { claim: claimOf(open), verdicts: [verdictOf({ processed: true })] },
      expected: "advanced architecture by judge",
    },
    {
      name: "an approval of another artifact",
      given: { claim: claimOf(open), verdicts: [verdictOf({ artifact_hash: "other" })] },
      expected: "waiting judge",
    },
    {
      name: "an approval under another contract",
      given: { claim: claimOf(open), verdicts: [verdictOf({ contract_hash: "other" })] },
      expected: "waiting judge",
    },
    {
      name: "an approval of an earlier stay",
      given: { item: itemOf({ entry: 2 }), claim: claimOf({ ...open, entry: 2 }), verdicts: [verdictOf()] },
      expected: "waiting judge",
    },
    {
      name: "an approval of another phase",
      given: { claim: claimOf(open), verdicts: [verdictOf({ phase: "grooming" })] },
      expected: "waiting judge",
    },
    {
      name: "a rejection",
      given: { claim: claimOf(open), verdicts: [verdictOf({ verdict: "rejected" })] },
      expected: "rejected verdict_rejected",
    },
    {
      name: "an open verdict before a used one",
      given: {
        claim: claimOf(open),
        verdicts: [verdictOf({ id: "v0", verdict: "rejected" }), verdictOf({ processed: true })],
      },
      expected: "rejected verdict_rejected",
    },
    {
      name: "the newest of two open ones",
      given: { claim: claimOf(open), verdicts: [verdictOf({ id: "v0", verdict: "rejected" }), verdictOf()] },
      expected: "advanced architecture by judge",
    },
    {
      name: "a verdict does not heal a missing section",
      given: {
        artifact: artifactOf("x"),
        verdicts: [verdictOf({ artifact_hash: (artifactOf("x") as { readonly hash: string }).hash })],
      },
      expected: "rejected sections_missing",
    },
    // end
    {
      name: "the last phase",
      given: {
        item: itemOf({ phase: "ready" }),
        claim: claimOf({ completed_phase: "ready", recommended_next_phase: null }),
        artifact: { status: "none" },
      },
      expected: "advanced end by trust",
    },
  ];
  it.each(cases)("$name: $expected", ({ given, expected }) => {
    expect(short(decideClaim(caseOf(given)))).toBe(expected);
  });

  it("decideClaim says in words what it decides, and how to repair it", () => {
    const words = cases.map(({ name, given }) => {
      const decision = decideClaim(caseOf(given));
      const fix = decision.outcome === "rejected" ? [`  fix: ${decision.fix}`] : [];
      const escalations = "escalations" in decision ? decision.escalations : [];
      const judge = escalations.map(({ trigger, evidence }) => `  ${trigger}: ${evidence}`);
      return [`${name}: ${decision.text}`, ...fix, ...judge].join("\n");
    });
    // A sentence a line.
    expect(words.join("\n").replaceAll(/(?<=[.;]) (?=\S)/g, "\n    ")).toMatchInlineSnapshot(`
      "all checks pass: Phase "research" is complete;
          now in "architecture".
      phase differs: The claim is for "research";
          the item is in "architecture".
      phase differs, and version and next phase too: The claim is for "research";
          the item is in "grooming".
      phase differs on a held item: The claim is for "research";
          the item is in "grooming".
      an earlier stay in the same phase: The claim belongs to an earlier entry of phase "research".
      the item has completed: Item "SYM-001" has completed its last phase.
      the item waits for a person: look
      no contract for the phase: Phase "deploy" has no contract, so the claim cannot be decided.
      version above: The claim has contract_version 2;
          the contract has 1.
        fix: Read the contract of "research" again and claim with contract_version 1.
      version 0, as when it is missing: The claim has contract_version 0;
          the contract has 1.
        fix: Read the contract of "research" again and claim with contract_version 1.
      version before next phase: The claim has contract_version 0;
          the contract has 1.
        fix: Read the contract of "research" again and claim with contract_version 1.
      version before artifact: The claim has contract_version 0;
          the contract has 1.
        fix: Read the contract of "research" again and claim with contract_version 1.
      the contract was replaced, same version: The contract changed after the claim was made.
        fix: Read the contract of "research" again, update the artifact and claim again.
      another next phase: The claim recommends "grooming" as the next phase;
          the contract says "architecture".
        fix: Claim with recommended_next_phase "architecture".
      no next phase: The claim recommends none (null) as the next phase;
          the contract says "architecture".
        fix: Claim with recommended_next_phase "architecture".
      next phase before artifact: The claim recommends none (null) as the next phase;
          the contract says "architecture".
        fix: Claim with recommended_next_phase "architecture".
      skip backward: skip_to "research" does not come after "grooming".
        fix: Leave out skip_to, or set it to a later phase of the pipeline and add a skip_reason.
      skip to itself: skip_to "research" does not come after "research".
        fix: Leave out skip_to, or set it to a later phase of the pipeline and add a skip_reason.
      skip to an unknown phase: skip_to "deploy" is not a phase of the pipeline.
        fix: Leave out skip_to, or set it to a later phase of the pipeline and add a skip_reason.
      skip without a reason: A skip needs a skip_reason.
        fix: Leave out skip_to, or set it to a later phase of the pipeline and add a skip_reason.
      skip past a judge's phase asks for a verdict: A judge must look at it, because of: skip_past_judge.
        skip_past_judge: Phase "architecture" needs a judge and would be skipped: trivial
      a verdict on the claim without the skip does not allow it: A judge must look at it, because of: skip_past_judge.
        skip_past_judge: Phase "architecture" needs a judge and would be skipped: trivial
      a verdict on the skip allows it: Phase "research" is complete;
          now in "grooming".
        skip_past_judge: Phase "architecture" needs a judge and would be skipped: trivial
      a verdict on the skip does not allow a longer one: A judge must look at it, because of: skip_past_judge.
        skip_past_judge: Phase "architecture" needs a judge and would be skipped: trivial
      skip past a phase that is not a judge's: Phase "research" is complete;
          now in "ready".
      recommending the phase it skips to: Phase "research" is complete;
          now in "ready".
      skip_to the very next phase is no skip: Phase "research" is complete;
          now in "architecture".
      promotion to an allowed folder: Phase "research" is complete;
          now in "architecture".
      promotion elsewhere: promote_to: the contract does not allow this path (allowed: docs/research).
        fix: Leave out promote_to, or set it to a path the contract allows.
      promotion out of the root: promote_to: the path leaves the root with ...
        fix: Leave out promote_to, or set it to a path the contract allows.
      artifact missing: The file "docs/tickets/SYM-001/research.md" does not exist.
          Write the artifact there.
        fix: The file "docs/tickets/SYM-001/research.md" does not exist.
          Write the artifact there.
      artifact refused: The file "docs/tickets/SYM-001/research.md" cannot be used (link): it is a link
        fix: The file "docs/tickets/SYM-001/research.md" cannot be used (link): it is a link
      another artifact path than the contract's: The claim names the artifact "docs/other.md";
          the contract expects "docs/tickets/SYM-001/research.md".
        fix: Write the artifact to "docs/tickets/SYM-001/research.md".
      the contract's artifact path: Phase "research" is complete;
          now in "architecture".
      a section missing: The section "Risks" is missing.
          Add the heading "## Risks".
        fix: The section "Risks" is missing.
          Add the heading "## Risks".
      a section by substring: The section "Problem Statement" is missing;
          found "Problem" instead.
          Add the heading "## Problem Statement".
        fix: The section "Problem Statement" is missing;
          found "Problem" instead.
          Add the heading "## Problem Statement".
      a section without text: The section "Problem Statement" has no visible text below its heading.
        fix: The section "Problem Statement" has no visible text below its heading.
      sections before escalation: The section "Problem Statement" is missing.
          Add the heading "## Problem Statement".
          The section "Risks" is missing.
          Add the heading "## Risks".
        fix: The section "Problem Statement" is missing.
          Add the heading "## Problem Statement".
      The section "Risks" is missing.
          Add the heading "## Risks".
      structural with open questions asks for a judge: A judge must look at it, because of: open_questions_present.
        open_questions_present: The claim has 1 open questions, the first: "Which index?".
      structural with sensitive content asks for a judge: A judge must look at it, because of: security_sensitive.
        security_sensitive: The artifact says "We store password hashes.".
      structural with a sensitive diff asks for a judge: A judge must look at it, because of: security_sensitive.
        security_sensitive: The diff touches "src/auth/login.ts".
      judge mode always asks: The contract requires a judge.
      trust asks for no judge and does not escalate: Phase "research" is complete;
          now in "architecture".
      trust without an artifact, when no check is listed: Phase "research" is complete;
          now in "architecture".
      trust still runs listed checks: The section "Risks" is missing.
          Add the heading "## Risks".
        fix: The section "Risks" is missing.
          Add the heading "## Risks".
      an open approval: Phase "research" is complete;
          now in "architecture".
        open_questions_present: The claim has 1 open questions, the first: "Which index?".
      a used approval for the same artifact, contract and stay: Phase "research" is complete;
          now in "architecture".
        open_questions_present: The claim has 1 open questions, the first: "Which index?".
      an approval of another artifact: A judge must look at it, because of: open_questions_present.
        open_questions_present: The claim has 1 open questions, the first: "Which index?".
      an approval under another contract: A judge must look at it, because of: open_questions_present.
        open_questions_present: The claim has 1 open questions, the first: "Which index?".
      an approval of an earlier stay: A judge must look at it, because of: open_questions_present.
        open_questions_present: The claim has 1 open questions, the first: "Which index?".
      an approval of another phase: A judge must look at it, because of: open_questions_present.
        open_questions_present: The claim has 1 open questions, the first: "Which index?".
      a rejection: Good.
        fix: Good.
      an open verdict before a used one: Good.
        fix: Good.
      the newest of two open ones: Phase "research" is complete;
          now in "architecture".
        open_questions_present: The claim has 1 open questions, the first: "Which index?".
      a verdict does not heal a missing section: The section "Problem Statement" is missing.
          Add the heading "## Problem Statement".
          The section "Risks" is missing.
          Add the heading "## Risks".
        fix: The section "Problem Statement" is missing.
          Add the heading "## Problem Statement".
      The section "Risks" is missing.
          Add the heading "## Risks".
      the last phase: Phase "ready" is complete;
          it was the last one."
    `);
  });

  it("decideClaim answers the same twice and changes nothing it was given", () => {
    for (const { given } of cases) {
      const whole = caseOf(given);
      const before = JSON.stringify(whole);
      expect(decideClaim(whole)).toEqual(decideClaim(whole));
      expect(JSON.stringify(whole)).toBe(before);
    }
  });

  it("decideClaim tells the agent everything that is wrong with the artifact at once", () => {
    const decision = decideClaim(caseOf({ artifact: artifactOf("## Problem\n\ntext\n") }));
    expect(decision).toMatchInlineSnapshot(`
      {
        "code": "sections_missing",
        "fix": "The section "Problem Statement" is missing; found "Problem" instead. Add the heading "## Problem Statement".
      The section "Risks" is missing. Add the heading "## Risks".",
        "outcome": "rejected",
        "text": "The section "Problem Statement" is missing; found "Problem" instead. Add the heading "## Problem Statement". The section "Risks" is missing. Add the heading "## Risks".",
      }
    `);
  });

  it("decideClaim names what a claim got wrong", () => {
    const text = (claim: Parameters<typeof claimOf>[0]): string =>
      (decideClaim(caseOf({ claim: claimOf(claim) })) as { readonly text: string }).text;
    expect(text({ contract_version: 0 })).toMatchInlineSnapshot(
      `"The claim has contract_version 0; the contract has 1."`,
    );
    expect(text({ recommended_next_phase: null })).toMatchInlineSnapshot(
      `"The claim recommends none (null) as the next phase; the contract says "architecture"."`,
    );
    expect(text({ skip_to: "deploy" })).toMatchInlineSnapshot(`"skip_to "deploy" is not a phase of the pipeline."`);
  });

  it("decideClaim carries the judge's fix instructions, or the reason when there are none", () => {
    const fix = (members: Parameters<typeof verdictOf>[0]) =>
      decideClaim(
        caseOf({ claim: claimOf(open), verdicts: [verdictOf({ verdict: "rejected", reason: "thin", ...members })] }),
      );
    expect(fix({ fix_instructions: "Say more." })).toMatchObject({
      text: "thin",
      fix: "Say more.",
      verdict: { id: "v1" },
    });
    expect(fix({})).toMatchObject({ fix: "thin" });
  });

  it("decideClaim runs custom checks and triggers, and blames nobody for one that throws", () => {
    const contracts = defineContractsWith(["has_owner"], ["big_change"]);
    const given = caseOf({
      contracts,
      claim: claimOf({ recommended_next_phase: null }),
      checks: {
        has_owner: ({ artifact }) =>
          artifact.status === "found" && artifact.text.includes("Owner:") ? [] : ["Name an owner."],
      },
      triggers: { big_change: () => undefined },
    });
    expect(decideClaim(given)).toMatchObject({ code: "check_failed", fix: "Name an owner." });
    const owned = { ...given, artifact: artifactOf("Owner: me") };
    expect(short(decideClaim(owned))).toBe("advanced end by structural");
    expect(decideClaim({ ...owned, triggers: { big_change: () => "300 files" } })).toMatchObject({
      outcome: "waiting",
      escalations: [{ trigger: "big_change", evidence: "300 files" }],
    });
    expect(
      decideClaim({
        ...owned,
        triggers: {
          big_change: () => {
            throw new Error("down");
          },
        },
      }),
    ).toMatchObject({ outcome: "waiting", code: "judge" });
    expect(
      decideClaim({
        ...owned,
        checks: {
          has_owner: () => {
            throw new Error("down");
          },
        },
      }),
    ).toMatchObject({ outcome: "waiting", code: "check_threw" });
  });

  it("decideClaim keeps the contracts of the table apart", () => {
    expect(new Set([readiness, changed, trusting].map(({ byPhase }) => byPhase["research"]?.hash)).size).toBe(3);
  });
});

function defineContractsWith(checks: readonly string[], triggers: readonly string[]): typeof readiness {
  const set = defineContracts([{ phase: "research", artifact_path: "docs/tickets/{identifier}/research.md" }]);
  const contract = set.byPhase["research"]!;
  return {
    ...set,
    byPhase: {
      research: {
        ...contract,
        validation: { mode: "structural", structural_checks: [...checks], escalate_if: [...triggers] },
      },
    },
  };
}
