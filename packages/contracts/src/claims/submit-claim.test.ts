import { describe, expect, it } from "vitest";
import { readiness, RESEARCH } from "../__fixtures__/pipeline.ts";
import { openWorkshop } from "../__fixtures__/workshop.ts";
import { addItem } from "../items/add-item.ts";
import { processClaims } from "./process-claims.ts";
import { hashContent } from "../sha256.ts";
import { submitClaim } from "./submit-claim.ts";

describe("submitClaim", () => {
  it("submitClaim keeps every documented field, with what was true at claim time", async () => {
    const shop = await openWorkshop();
    expect(await shop.claim({ summary: "Research complete", confidence: "low", artifact_revision: 2 })).toMatchObject({
      id: "id-1",
      category: "phase_completion",
      summary: "Research complete",
      completed_phase: "research",
      contract_version: 1,
      recommended_next_phase: "architecture",
      artifact_path: null,
      artifact_hash: hashContent(RESEARCH),
      artifact_revision: 2,
      confidence: "low",
      open_questions: [],
      promote_to: null,
      processed: false,
      created_at: "2026-03-01T12:00:00.000Z",
      entry: 1,
      contract_hash: readiness.byPhase["research"]!.hash,
    });
  });

  it("submitClaim without a version counts as version 0 and is rejected", async () => {
    const shop = await openWorkshop();
    const { contract_version: _version, ...input } = {
      item: "SYM-001",
      completed_phase: "research",
      contract_version: 1,
      recommended_next_phase: "architecture",
    };
    expect((await submitClaim(shop.store, input, shop.options)).contract_version).toBe(0);
    await processClaims(shop.store, shop.options);
    expect((await shop.record()).claims[0]).toMatchObject({ outcome: "rejected", code: "contract_version" });
  });

  it.each([
    { name: "an unknown field", input: { completed_phase: "research", processed: true } },
    { name: "a version in a text", input: { completed_phase: "research", contract_version: "1" } },
    { name: "a fraction as a version", input: { completed_phase: "research", contract_version: 1.5 } },
    { name: "no phase", input: {} },
    { name: "a confidence nobody knows", input: { completed_phase: "research", confidence: "total" } },
    {
      name: "questions without end",
      input: { completed_phase: "research", open_questions: Array.from({ length: 101 }, () => "?") },
    },
    { name: "a forged identifier", input: { completed_phase: "research", id: "c1" } },
  ])("submitClaim refuses $name and writes nothing", async ({ input }) => {
    const shop = await openWorkshop();
    const before = await shop.record();
    await expect(submitClaim(shop.store, { item: "SYM-001", ...input } as never, shop.options)).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    expect(await shop.record()).toEqual(before);
  });

  it("submitClaim with the same key and content is the same claim, also after it was decided", async () => {
    const shop = await openWorkshop();
    const claims = await Promise.all(Array.from({ length: 100 }, () => shop.claim({}, { idempotencyKey: "k" })));
    expect(new Set(claims.map(({ id }) => id)).size).toBe(1);
    expect((await shop.record()).claims).toHaveLength(1);
    await processClaims(shop.store, shop.options);
    // The old outcome, not a new claim.
    expect(await shop.claim({}, { idempotencyKey: "k" })).toMatchObject({ processed: true, outcome: "advanced" });
  });

  it("submitClaim with the same key and other content is a conflict", async () => {
    const shop = await openWorkshop();
    await shop.claim({}, { idempotencyKey: "k" });
    await expect(shop.claim({ summary: "other" }, { idempotencyKey: "k" })).rejects.toMatchObject({
      code: "CLAIM_CONFLICT",
    });
    shop.project.set("docs/tickets/SYM-001/research.md", "other");
    await expect(shop.claim({}, { idempotencyKey: "k" })).rejects.toMatchObject({ code: "CLAIM_CONFLICT" });
  });

  it("twice in one millisecond with equal content: both recorded, one accepted, one stale", async () => {
    const shop = await openWorkshop();
    await Promise.all([shop.claim(), shop.claim()]);
    await processClaims(shop.store, shop.options);
    expect((await shop.record()).claims.map(({ outcome }) => outcome).toSorted()).toEqual(["advanced", "stale"]);
  });

  it("submitClaim is refused when too many wait, so that nobody floods an item", async () => {
    const shop = await openWorkshop();
    for (let n = 0; n < 16; n += 1) await shop.claim();
    await expect(shop.claim()).rejects.toMatchObject({ code: "TOO_MANY_CLAIMS" });
  });

  it("submitClaim is judged by the file, not by the hash the agent says it has", async () => {
    const shop = await openWorkshop();
    expect((await shop.claim({ artifact_hash: "h1" })).artifact_hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it("submitClaim for an item that does not exist is refused", async () => {
    const shop = await openWorkshop();
    await expect(
      submitClaim(shop.store, { item: "SYM-002", completed_phase: "research" }, shop.options),
    ).rejects.toMatchObject({ code: "UNKNOWN_ITEM" });
  });
});

describe("addItem", () => {
  it.each(["", "../x", "a/b", "a..b", ".hidden", "a{identifier}", "$(id)", "a b", "x".repeat(129), "a.", "é"])(
    "refuses the identifier %j",
    async (id) => {
      const shop = await openWorkshop();
      await expect(addItem(shop.store, { id }, shop.options)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    },
  );

  it("addItem takes an identifier once", async () => {
    const shop = await openWorkshop();
    await expect(addItem(shop.store, { id: "SYM-001" }, shop.options)).rejects.toMatchObject({
      code: "DUPLICATE_ITEM",
    });
  });
});
