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
