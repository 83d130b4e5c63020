import { describe, expect, it } from "vitest";
import { START } from "../__fixtures__/pipeline.ts";
import { openWorkshop } from "../__fixtures__/workshop.ts";
import { startItemRun } from "../items/item-runs.ts";
import { giveVerdict } from "../reviews/give-verdict.ts";
import { processClaim, processClaims } from "./process-claims.ts";
import { hashContent } from "../sha256.ts";
import { defineContracts } from "../contract/define-contracts.ts";

const DESIGN = { completed_phase: "architecture", recommended_next_phase: "grooming" };

describe("an advancement", () => {
  it("an advancement changes status, labels, findings, metrics and artifacts in one write", async () => {
    const shop = await openWorkshop();
    await shop.claim();
    shop.pass(5000);
    const before = await shop.item();
    const { advanced, ...rest } = await processClaims(shop.store, shop.options);
    expect(advanced).toEqual([
      {
        outcome: "advanced",
        code: "structural",
        text: 'Phase "research" is complete; now in "architecture".',
        claim: "id-1",
        item: "SYM-001",
        phase: "research",
        to: "architecture",
      },
    ]);
    expect(rest).toEqual({ rejected: [], stale: [], waiting: [], needsJudgeReview: [], expired: [], failed: [] });
    const { item, claims } = await shop.record();
    const at = new Date(START + 5000).toISOString();
    const hash = hashContent(shop.project.get("docs/tickets/SYM-001/research.md")!);
    expect(item).toEqual({
      ...before,
      phase: "architecture",
      entry: 2,
      status: "backlog",
      version: before.version + 1,
      labels: ["phase:architecture"],
      updatedAt: at,
      metrics: { entered_phase_at: at, phase_rejection_count: 0, last_completion_hash: hash, last_verdict: null },
      artifacts: [
        { phase: "research", path: "docs/tickets/SYM-001/research.md", status: "approved", revision: 1, hash },
      ],
    });
    expect(claims).toMatchObject([{ processed: true, outcome: "advanced", artifact_hash: hash, processed_at: at }]);
    expect((await shop.store.history("SYM-001")).advances).toEqual([
      { itemId: "SYM-001", entry: 1, from: "research", to: "architecture", claimId: "id-1", at },
    ]);
  });

  it("an advancement leaves everything as it was when the write fails", async () => {
    const shop = await openWorkshop();
    await shop.claim();
    const before = await shop.record();
    const failing = { ...shop.store, commit: () => Promise.reject(new Error("disk full")) };
    const { failed, advanced } = await processClaims(failing, shop.options);
    expect(advanced).toEqual([]);
    expect(failed).toMatchObject([{ item: "SYM-001", error: { message: "disk full" } }]);
    expect(await shop.record()).toEqual(before);
    expect(await shop.store.takeHooks({ leaseMs: 1, limit: 9 })).toEqual([]);
  });

  it("an advancement clears needs-revision and the counter, and tells labels and status apart", async () => {
    const shop = await openWorkshop();
    await shop.claim({ contract_version: 0 });
    await processClaims(shop.store, shop.options);
    expect(await shop.item()).toMatchObject({
      labels: ["phase:research", "needs-revision"],
      metrics: { phase_rejection_count: 1 },
      status: "backlog",
    });
    await shop.claim();
    await processClaims(shop.store, shop.options);
    expect(await shop.item()).toMatchObject({
      labels: ["phase:architecture"],
      metrics: { phase_rejection_count: 0 },
      revisionSince: null,
    });
  });

  it("an advancement walks the whole pipeline: backlog, backlog, todo, review", async () => {
    const shop = await openWorkshop();
    const statuses: string[] = [];
    const step = async (): Promise<void> => {
      await processClaims(shop.store, { ...shop.options, judge: () => ({ verdict: "approved", reason: "Sound." }) });
      statuses.push(`${(await shop.item()).phase} ${(await shop.item()).status}`);
    };
    await shop.claim();
    await step();
    await shop.claim(DESIGN);
    await step();
    await shop.claim({ completed_phase: "grooming", recommended_next_phase: "ready" });
    await step();
    await shop.claim({ completed_phase: "ready", recommended_next_phase: null });
    await step();
    expect(statuses).toEqual(["architecture backlog", "grooming backlog", "ready todo", "ready review"]);
    expect(await shop.item()).toMatchObject({ completed: true, labels: ["phase:ready"] });
    expect(await shop.comments()).toMatchInlineSnapshot(`
      [
        "Phase "research" is complete; now in "architecture".
      Validation: structural.
      Artifact: docs/tickets/SYM-001/research.md",
        "Phase "architecture" is complete; now in "grooming".
      Validation: judge. Approved by judge: Sound.
      Artifact: docs/tickets/SYM-001/design.md",
        "Phase "grooming" is complete; now in "ready".
      Validation: structural.
      Artifact: docs/tickets/SYM-001/grooming.md
      Worker: follow the step-by-step instructions in docs/tickets/SYM-001/grooming.md.",
        "Phase "ready" is complete; it was the last one.
      Validation: trust.",
      ]
    `);
    await shop.claim({ completed_phase: "ready", recommended_next_phase: null });
    expect((await processClaims(shop.store, shop.options)).stale).toHaveLength(1);
  });

  it("an advancement puts skipped phases on labels, in a finding, in a comment and in an event", async () => {
    const shop = await openWorkshop({
      contracts: defineContracts([
        { phase: "research" },
        { phase: "architecture" },
        { phase: "grooming" },
        { phase: "ready" },
      ]),
    });
    await shop.claim({ skip_to: "ready", skip_reason: "one-line change" });
    await processClaims(shop.store, shop.options);
    const item = await shop.item();
    expect(item).toMatchObject({
      phase: "ready",
      status: "todo",
      labels: ["phase:ready", "skip:architecture", "skip:grooming"],
    });
    expect(item.skips).toEqual([
      {
        category: "phase_skip",
        claim_id: "id-1",
        from: "research",
        to: "ready",
        phases: ["architecture", "grooming"],
        reason: "one-line change",
        created_at: item.updatedAt,
      },
    ]);
    expect((await shop.comments())[1]).toBe(
      'Skipped "architecture", "grooming" on the way from "research" to "ready": one-line change',
    );
  });

  it("an advancement makes competing claims stale in the same write and says so", async () => {
    const shop = await openWorkshop();
    const claims = [await shop.claim(), await shop.claim(), await shop.claim()];
    const { advanced, stale } = await processClaims(shop.store, shop.options);
    expect(advanced).toMatchObject([{ claim: claims[0]!.id }]);
    expect(stale).toMatchObject([
      { claim: claims[1]!.id, code: "superseded" },
      { claim: claims[2]!.id, code: "superseded" },
    ]);
    expect((await shop.record()).claims.map(({ outcome }) => outcome)).toEqual(["advanced", "stale", "stale"]);
    expect((await shop.item()).metrics.phase_rejection_count).toBe(0);
  });

  it("an advancement lets the host choose statuses", async () => {
    const shop = await openWorkshop();
    await shop.claim();
    await processClaims(shop.store, { ...shop.options, statusFor: () => "in_progress" });
    expect((await shop.item()).status).toBe("in_progress");
  });
});

describe("a rejection", () => {
  it("a rejection adds label and counter, keeps status and phase, appends a row, and says what to fix", async () => {
    const shop = await openWorkshop();
    shop.project.set("docs/tickets/SYM-001/research.md", "## Risks\n\nNone.\n");
    const { id } = await shop.claim();
    expect(await processClaim(shop.store, { item: "SYM-001", claim: id }, shop.options)).toMatchObject({
      result: { outcome: "rejected", code: "sections_missing" },
    });
    const { item, claims } = await shop.record();
    expect(item).toMatchObject({
      phase: "research",
      status: "backlog",
      labels: ["phase:research", "needs-revision"],
      metrics: { phase_rejection_count: 1, last_completion_hash: null, last_verdict: null },
      artifacts: [{ status: "rejected", revision: 1 }],
    });
    expect(claims[0]).toMatchObject({ processed: true, outcome: "rejected" });
    expect(await shop.comments()).toMatchInlineSnapshot(`
      [
        "The claim that "research" is complete was rejected (sections_missing, rejection 1 in this phase).
      The section "Problem Statement" is missing. Add the heading "## Problem Statement".",
      ]
    `);
    shop.project.set("docs/tickets/SYM-001/research.md", "## Risks\n\nNone!\n");
    await shop.claim();
    await processClaims(shop.store, shop.options);
    expect((await shop.item()).artifacts.map(({ status, revision }) => [status, revision])).toEqual([
      ["rejected", 1],
      ["rejected", 2],
    ]);
  });

  it("a rejection by a judge takes claim and verdict together and keeps the fix", async () => {
    const shop = await openWorkshop({ phase: "architecture" });
    await shop.claim(DESIGN);
    const { needsJudgeReview } = await processClaims(shop.store, shop.options);
    await giveVerdict(
      shop.store,
      {
        review: needsJudgeReview[0]!.id,
        verdict: "rejected",
        reason: "thin",
        fix_instructions: "Compare two designs.",
        judge: "ada",
      },
      shop.options,
    );
    const { rejected } = await processClaims(shop.store, shop.options);
    expect(rejected).toMatchObject([
      { claim: "id-1", code: "verdict_rejected", text: "thin", fix: "Compare two designs." },
    ]);
    const { item, verdicts, claims } = await shop.record();
    expect(item.metrics).toMatchObject({ phase_rejection_count: 1, last_verdict: "rejected" });
    expect(verdicts).toMatchObject([{ processed: true, verdict: "rejected" }]);
    expect(claims).toMatchObject([{ processed: true, fix: "Compare two designs." }]);
    expect(shop.lines.at(-1)).toEqual({
      level: "warn",
      event: "claim_rejected",
      identifier: "SYM-001",
      phase: "architecture",
      claim_id: "id-1",
      code: "verdict_rejected",
      text: "thin",
      verdict: { id: verdicts[0]!.id, judge: "ada", reason: "thin", fix_instructions: "Compare two designs." },
    });
  });

  it("a rejection after max_rejections holds the item for a person, and a release forgives", async () => {
    const { releaseItem } = await import("../items/item-runs.ts");
    const shop = await openWorkshop({
      contracts: defineContracts([{ phase: "research", max_rejections: 2 }, { phase: "architecture" }]),
    });
    const reject = async (): Promise<void> => {
      await shop.claim({ contract_version: 0 });
      await processClaims(shop.store, shop.options);
    };
    await reject();
    expect((await shop.item()).held).toBeNull();
    await reject();
    expect(await shop.item()).toMatchObject({
      held: '2 claims of phase "research" were rejected (max_rejections 2).',
      status: "blocked",
      labels: ["phase:research", "needs-revision", "needs-person"],
    });
    await shop.claim();
    expect((await processClaims(shop.store, shop.options)).waiting).toHaveLength(1);
    expect(await releaseItem(shop.store, { item: "SYM-001", by: "ada", clock: shop.now })).toBe(true);
    expect(await releaseItem(shop.store, { item: "SYM-001", by: "ada" })).toBe(false);
    expect((await processClaims(shop.store, shop.options)).advanced).toHaveLength(1);
    expect(await shop.item()).toMatchObject({ phase: "architecture", held: null });
  });
});

describe("log lines", () => {
  it.each([
    {
      name: "stale",
      claim: { completed_phase: "grooming", recommended_next_phase: "ready" },
      level: "info",
      event: "claim_stale",
      code: "stale_phase",
    },
    {
      name: "version",
      claim: { contract_version: 7 },
      level: "warn",
      event: "claim_rejected",
      code: "contract_version",
    },
    {
      name: "next phase",
      claim: { recommended_next_phase: "ready" },
      level: "warn",
      event: "claim_rejected",
      code: "next_phase",
    },
    { name: "skip", claim: { skip_to: "nowhere" }, level: "warn", event: "claim_rejected", code: "skip_refused" },
    { name: "waiting", claim: { open_questions: ["Why?"] }, level: "info", event: "claim_waiting", code: "judge" },
  ])("$name: $level $event $code", async ({ claim, ...expected }) => {
    const shop = await openWorkshop();
    const { id } = await shop.claim(claim);
    await processClaims(shop.store, shop.options);
    expect(shop.lines.filter(({ event }) => event !== "artifact_warning")).toMatchObject([
      {
        identifier: "SYM-001",
        phase: "research",
        claim_id: id,
        level: expected.level,
        event: expected.event,
        code: expected.code,
      },
    ]);
  });

  it("a stale claim costs nothing: no label, no counter, no comment", async () => {
    const shop = await openWorkshop();
    const before = await shop.item();
    await shop.claim({ completed_phase: "grooming", recommended_next_phase: "ready" });
    const { stale } = await processClaims(shop.store, shop.options);
    expect(stale).toHaveLength(1);
    expect(await shop.item()).toMatchObject({
      labels: before.labels,
      metrics: before.metrics,
      artifacts: [],
      revisionSince: null,
    });
    expect(await shop.comments()).toEqual([]);
    expect((await shop.record()).claims).toMatchObject([{ processed: true, outcome: "stale" }]);
  });

  it("log lines warns when the project's copy was used although a worktree should have one", async () => {
    const shop = await openWorkshop();
    await startItemRun(shop.store, {
      item: "SYM-001",
      runId: "run-1",
      worktreePath: "/gone",
      contracts: shop.options.contracts,
      clock: shop.now,
    });
    await shop.claim();
    await processClaims(shop.store, shop.options);
    expect(shop.lines.map(({ level, event, text }) => [level, event, text])).toEqual([
      ["warn", "artifact_warning", "The worktree of the latest run has no such file; the project's copy was used."],
      ["info", "claim_advanced", 'Phase "research" is complete; now in "architecture".'],
    ]);
  });
});

describe("artifacts", () => {
  it("come from the worktree of the latest run, as they were at claim time", async () => {
    const shop = await openWorkshop();
    shop.worktree.set("docs/tickets/SYM-001/research.md", "## Problem Statement\n\nA\n\n## Risks\n\nB\n");
    for (const [runId, worktreePath] of [
      ["run-1", "/w/1"],
      ["run-2", "/w/2"],
    ] as const) {
      shop.pass(1000);
      await startItemRun(shop.store, {
        item: "SYM-001",
        runId,
        worktreePath,
        contracts: shop.options.contracts,
        clock: shop.now,
      });
    }
    const claim = await shop.claim();
    expect(claim.snapshot).toMatchObject({ status: "found", from: "worktree" });
    // Changed after the claim: what counts is the copy.
    shop.worktree.set("docs/tickets/SYM-001/research.md", "gone");
    shop.project.clear();
    expect((await processClaims(shop.store, shop.options)).advanced).toMatchObject([{ claim: claim.id }]);
    expect((await shop.item()).artifacts[0]!.hash).toBe(claim.artifact_hash);
  });

  it("artifacts are read when the claim is decided if nobody read them before, and kept", async () => {
    const shop = await openWorkshop();
    const { artifacts, ...without } = shop.options;
    const { submitClaim } = await import("./submit-claim.ts");
    const claim = await submitClaim(
      shop.store,
      {
        item: "SYM-001",
        completed_phase: "research",
        contract_version: 1,
        recommended_next_phase: "architecture",
        open_questions: ["?"],
      },
      without,
    );
    expect(claim.snapshot).toBeNull();
    await processClaims(shop.store, shop.options);
    shop.project.clear();
    expect((await shop.record()).claims[0]!.snapshot).toMatchObject({ status: "found", from: "project" });
    const [review] = (await shop.record()).reviews;
    await giveVerdict(shop.store, { review: review!.id, verdict: "approved", reason: "ok", judge: "ada" });
    expect((await processClaims(shop.store, { ...without, artifacts: artifacts! })).advanced).toMatchObject([
      { claim: claim.id },
    ]);
  });
});

describe("a contract that is replaced while a claim waits", () => {
  it("a contract that is replaced while a claim waits rejects the claim and uses no verdict on the old one", async () => {
    const before = defineContracts([{ phase: "research", validation: { mode: "judge" } }, { phase: "architecture" }]);
    const after = defineContracts([
      { phase: "research", validation: { mode: "judge" }, done_when: ["More is asked"] },
      { phase: "architecture" },
    ]);
    const shop = await openWorkshop({ contracts: before });
    await shop.claim();
    const { needsJudgeReview } = await processClaims(shop.store, shop.options);
    await giveVerdict(shop.store, { review: needsJudgeReview[0]!.id, verdict: "approved", reason: "ok", judge: "ada" });
    const changed = { ...shop.options, contracts: after };
    expect((await processClaims(shop.store, changed)).rejected).toMatchObject([{ claim: "id-1" }]);
    expect((await shop.record()).claims[0]).toMatchObject({
      code: "contract_changed",
      text: "The contract changed after the claim was made.",
    });
    // The same artifact under the new contract needs a verdict of its own.
    const { submitClaim } = await import("./submit-claim.ts");
    await submitClaim(
      shop.store,
      { item: "SYM-001", completed_phase: "research", contract_version: 1, recommended_next_phase: "architecture" },
      changed,
    );
    expect(await processClaims(shop.store, changed)).toMatchObject({ advanced: [], waiting: [{ claim: "id-3" }] });
  });

  it("a contract that is replaced while a claim waits says once that a claim waits, not on every tick", async () => {
    const shop = await openWorkshop();
    await shop.claim({ open_questions: ["Why?"] });
    for (let tick = 0; tick < 5; tick += 1) await processClaims(shop.store, shop.options);
    expect(shop.lines.filter(({ event }) => event === "claim_waiting")).toHaveLength(1);
  });
});

describe("asking again", () => {
  it("about a decided claim gives what was decided then", async () => {
    const shop = await openWorkshop();
    const rejected = await shop.claim({ contract_version: 0 });
    const first = await processClaim(shop.store, { item: "SYM-001", claim: rejected.id }, shop.options);
    const second = await processClaim(shop.store, { item: "SYM-001", claim: rejected.id }, shop.options);
    expect([first.result.outcome, second.result.outcome]).toEqual(["rejected", "rejected"]);
    expect((await shop.item()).metrics.phase_rejection_count).toBe(1);
    const { id } = await shop.claim();
    await processClaim(shop.store, { item: "SYM-001", claim: id }, shop.options);
    expect(await processClaim(shop.store, { item: "SYM-001", claim: id }, shop.options)).toMatchObject({
      result: { outcome: "advanced", claim: id },
      change: undefined,
    });
    expect((await shop.item()).entry).toBe(2);
  });

  it("about a claim of another item is refused", async () => {
    const shop = await openWorkshop();
    await expect(processClaim(shop.store, { item: "SYM-001", claim: "forged" }, shop.options)).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    await expect(processClaim(shop.store, { item: "SYM-002", claim: "x" }, shop.options)).rejects.toMatchObject({
      code: "UNKNOWN_ITEM",
    });
  });
});
