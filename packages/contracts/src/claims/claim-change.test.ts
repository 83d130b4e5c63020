import { describe, expect, it } from "vitest";
import { artifactOf, claimOf, itemOf, readiness, RESEARCH_PATH, START, verdictOf } from "../__fixtures__/pipeline.ts";
import type { Contract } from "../contract/contract-schema.ts";
import type { ClaimReview } from "../reviews/verdict-schema.ts";
import { type DecidedClaim, decisionToChange, documentedStatus, superseded } from "./claim-change.ts";

const contract = readiness.byPhase["research"];
const found = artifactOf();
const hash = found.status === "found" ? found.hash : "";

function reviewOf(members: Partial<ClaimReview> = {}): ClaimReview {
  return {
    id: "r1",
    item_id: "SYM-001",
    claim_id: "c1",
    phase: "research",
    entry: 1,
    artifact_hash: hash,
    contract_hash: contract?.hash ?? "",
    skip_to: null,
    escalations: [],
    requested_at: new Date(START).toISOString(),
    attempts: 0,
    leased_until: null,
    state: "open",
    ...members,
  };
}

type Given = Partial<Omit<DecidedClaim, "record">> & Partial<DecidedClaim["record"]>;

/** The write that a decision about claim c1 becomes. */
function changeOf({
  item = itemOf(),
  claims,
  verdicts = [],
  reviews = [],
  ...given
}: Given & Pick<DecidedClaim, "decision">) {
  const claim = given.claim ?? claimOf({ snapshot });
  return decisionToChange({
    record: { item, claims: claims ?? [claim], verdicts, reviews },
    artifact: found,
    contract,
    now: START + 1000,
    createId: () => "new-review",
    statusFor: documentedStatus,
    ...given,
    claim,
  });
}

const judge = { outcome: "waiting", code: "judge", text: "A judge must look.", escalations: [] } as const;
const held = { outcome: "waiting", code: "held", text: "A person must look.", escalations: [] } as const;
const rejected = { outcome: "rejected", code: "sections_missing", text: "Thin.", fix: "Say more." } as const;
const advanced = {
  outcome: "advanced",
  code: "structural",
  text: "Done.",
  to: "architecture",
  skipped: [],
  escalations: [],
} as const;
const snapshot = { status: "found", path: RESEARCH_PATH, hash, from: "worktree" } as const;
const at = new Date(START + 1000).toISOString();

describe("a claim that waits", () => {
  it("is written once, and again when the reason, its words or its snapshot change", () => {
    const waits = claimOf({ snapshot, code: "held", text: held.text });
    expect(changeOf({ decision: held, claim: waits })).toBeUndefined();
    for (const claim of [
      claimOf({ snapshot, code: "judge", text: held.text }),
      claimOf({ snapshot, code: "held", text: "Another reason." }),
    ])
      expect(changeOf({ decision: held, claim })?.claims).toEqual([
        { ...claim, outcome: "waiting", code: "held", text: held.text },
      ]);
    const read = changeOf({ decision: held, claim: waits, claims: [claimOf(), { ...waits, snapshot: null }] });
    expect(read?.claims).toHaveLength(1);
    expect(read?.snapshots).toEqual([{ hash, text: found.status === "found" ? found.text : "" }]);
    expect(changeOf({ decision: held, claim: waits, claims: [claimOf({ id: "c0" }), waits] })).toBeUndefined();
    expect(changeOf({ decision: held, claim: waits, claims: [] })?.claims, "never stored").toHaveLength(1);
  });

  it.each<[string, Partial<ClaimReview>, boolean]>([
    ["the same", {}, false],
    ["one for a person", { state: "person" }, false],
    ["an answered one", { state: "answered" }, true],
    ["another entry", { entry: 0 }, true],
    ["another artifact", { artifact_hash: "x" }, true],
    ["another contract", { contract_hash: "x" }, true],
    ["another skip", { skip_to: "grooming" }, true],
  ])("beside %s asks for a review of its own: %s", (_what, members, asks) => {
    const claim = claimOf({ snapshot, code: "judge", text: judge.text });
    const change = changeOf({ decision: judge, claim, reviews: [reviewOf(members)] });
    expect(change?.reviews).toEqual(asks ? [reviewOf({ id: "new-review", requested_at: at })] : undefined);
  });

  it("asks no judge for another reason, nor without a contract", () => {
    expect(changeOf({ decision: held })?.reviews).toBeUndefined();
    expect(changeOf({ decision: judge, contract: undefined })?.reviews).toBeUndefined();
  });
});

describe("a rejection", () => {
  it("cancels the open reviews of its claim and no others", () => {
    const reviews = [
      reviewOf(),
      reviewOf({ id: "r2", state: "person" }),
      reviewOf({ id: "r3", state: "answered" }),
      reviewOf({ id: "r4", claim_id: "c2" }),
    ];
    expect(changeOf({ decision: rejected, reviews })?.reviews).toEqual([
      { ...reviews[0], state: "cancelled" },
      { ...reviews[1], state: "cancelled" },
    ]);
  });

  it("takes its verdict, or none", () => {
    const verdict = verdictOf({ verdict: "rejected" });
    const change = changeOf({ decision: { ...rejected, verdict } });
    expect(change?.verdicts).toEqual([{ ...verdict, processed: true }]);
    expect(change?.item.metrics.last_verdict).toBe("rejected");
    const plain = changeOf({ decision: rejected });
    expect(plain).not.toHaveProperty("verdicts");
    expect(plain?.item.metrics.last_verdict).toBeNull();
  });

  it("settles the claim with words and fix, counts, and tells people", () => {
    const change = changeOf({ decision: rejected });
    expect(change?.claims).toMatchObject([
      { processed: true, processed_at: at, code: "sections_missing", fix: "Say more." },
    ]);
    expect(change?.item).toMatchObject({ status: "in_progress", held: null, revisionSince: at });
    expect(change?.comments).toMatchInlineSnapshot(`
      [
        {
          "at": "2026-03-01T12:00:01.000Z",
          "kind": "reject",
          "text": "The claim that "research" is complete was rejected (sections_missing, rejection 1 in this phase).
      Thin.
      To fix:
      Say more.",
        },
      ]
    `);
  });

  it("holds the item at the last rejection that the contract allows; without a contract it never does", () => {
    const limited = { ...contract, max_rejections: 2 } as Contract;
    const item = itemOf({ metrics: { ...itemOf().metrics, phase_rejection_count: 1 } });
    const change = changeOf({ decision: rejected, item, contract: limited });
    expect(change?.item).toMatchObject({ status: "blocked", held: expect.stringContaining("2 claims") as string });
    expect(change?.comments).toMatchObject([
      { kind: "reject" },
      { kind: "hold", text: expect.stringMatching(/^A person must review the item: 2 claims/) as string },
    ]);
    expect(changeOf({ decision: rejected, item, contract: undefined })?.item).toMatchObject({ held: null });
  });

  it("numbers the artifacts of a phase, and adds no row without one", () => {
    const artifacts = ["research", "plan", "research"].map((phase, index) => ({
      phase,
      path: RESEARCH_PATH,
      status: "rejected" as const,
      revision: index + 1,
      hash: "x",
    }));
    const item = itemOf({ artifacts });
    expect(changeOf({ decision: rejected, item })?.item.artifacts.at(-1)).toMatchObject({ revision: 3, hash });
    const none = changeOf({ decision: rejected, item, artifact: { status: "none" } });
    expect(none?.item.artifacts).toEqual(artifacts);
    expect(none).not.toHaveProperty("snapshots");
  });
});

describe("an advancement", () => {
  it("uses up every open verdict and cancels every open review of the item", () => {
    const verdicts = [verdictOf(), verdictOf({ id: "v2", processed: true }), verdictOf({ id: "v3" })];
    const reviews = [reviewOf({ claim_id: "c2" }), reviewOf({ id: "r2", state: "answered" })];
    const change = changeOf({ decision: advanced, verdicts, reviews });
    expect(change?.verdicts).toEqual([
      { ...verdicts[0], processed: true },
      { ...verdicts[2], processed: true },
    ]);
    expect(change?.reviews).toEqual([{ ...reviews[0], state: "cancelled" }]);
  });

  it("makes the other open claims stale, and says by which", () => {
    const claims = [claimOf(), claimOf({ id: "c2" }), claimOf({ id: "c3", processed: true })];
    const settled = changeOf({ decision: advanced, claims })?.claims ?? [];
    expect(settled.map(({ id, outcome, text }) => [id, outcome, text])).toEqual([
      ["c1", "advanced", settled[0]?.text],
      ["c2", "stale", "Another claim advanced the item: c1."],
    ]);
    expect(settled[0]).not.toHaveProperty("fix");
    expect(superseded(claimOf())).toMatchObject({ outcome: "stale", code: "superseded" });
  });

  it("remembers an approval, and nothing of a verdict where there was none", () => {
    expect(changeOf({ decision: { ...advanced, verdict: verdictOf() } })?.item.metrics.last_verdict).toBe("approved");
    expect(changeOf({ decision: advanced })?.item.metrics.last_verdict).toBeNull();
  });

  it("records a skip with its reason, and tells it", () => {
    const claim = claimOf({ snapshot, skip_to: "grooming", skip_reason: "Too small." });
    const change = changeOf({ decision: { ...advanced, to: "grooming", skipped: ["architecture"] }, claim });
    expect(change?.item.labels).toEqual(["phase:grooming", "skip:architecture"]);
    expect(change?.hooks?.find(({ name }) => name === "phase_skip")?.payload).toMatchObject({
      from: "research",
      to: "grooming",
      phases: ["architecture"],
      reason: "Too small.",
      claim: "c1",
    });
  });

  it.each([
    { what: "with a place and an artifact", to: "docs/research/a.md", artifact: found, promotes: true },
    { what: "without a place", to: null, artifact: found, promotes: false },
    { what: "without an artifact", to: "docs/research/a.md", artifact: { status: "none" } as const, promotes: false },
  ])("$what asks for a promotion: $promotes", ({ to, artifact, promotes }) => {
    const claim = claimOf({ snapshot, promote_base_hash: "old", promote_to: to });
    const change = changeOf({ decision: advanced, claim, artifact });
    const hook = change?.hooks?.find(({ name }) => name === "promote_artifact");
    if (promotes)
      expect(hook?.payload).toMatchObject({
        claim: "c1",
        path: RESEARCH_PATH,
        hash,
        base: "old",
        allowed: ["docs/research"],
      });
    else expect(hook).toBeUndefined();
  });

  it("asks for one change request at the end, and leaves the label of the last phase", () => {
    const end = { ...advanced, to: null };
    const change = changeOf({ decision: end });
    expect(change?.hooks?.find(({ name }) => name === "create_change_request")?.payload).toMatchObject({ claim: "c1" });
    expect(change?.item).toMatchObject({
      completed: true,
      phase: "research",
      status: "review",
      labels: ["phase:research"],
    });
    const again = changeOf({ decision: end, item: itemOf({ changeRequest: { id: "pr-1" } }) });
    expect(again?.hooks?.some(({ name }) => name === "create_change_request")).toBe(false);
    expect(changeOf({ decision: advanced })?.hooks?.some(({ name }) => name === "create_change_request")).toBe(false);
  });
});
