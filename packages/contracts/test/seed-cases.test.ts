import { describe, expect, it } from "vitest";
import {
  type Artifact,
  decideClaim,
  createMemoryArtifacts,
  type Verdict,
  createMemoryWorkStore,
  type WorkLogLine,
} from "../src/index.ts";
import { processClaims } from "../src/claims/process-claims.ts";
import { addItem } from "../src/items/add-item.ts";
import { submitClaim } from "../src/claims/submit-claim.ts";
import { deliverHooks } from "../src/items/deliver-hooks.ts";
import { decideSkip } from "../src/claims/decide-skip.ts";
import { findMissingSections } from "../src/contract/sections.ts";
import { hashContent } from "../src/sha256.ts";
import { caseOf, claimOf, itemOf, verdictOf } from "../src/__fixtures__/pipeline.ts";
import { defineContracts } from "../src/contract/define-contracts.ts";
import cases from "./seed-cases.json" with { type: "json" };

interface Given {
  readonly item: { readonly phase: string; readonly rejections?: number };
  readonly contract: {
    readonly phase: string;
    readonly version: number;
    readonly next_phase: string;
    readonly required_sections: string[];
    readonly mode: "structural" | "judge" | "trust";
    readonly escalate_if: string[];
  };
  readonly claim: {
    readonly phase: string;
    readonly contract_version: number | null;
    readonly next_phase: string;
    readonly artifact: string;
    readonly artifact_hash: string;
    readonly open_questions: string[];
  };
  readonly artifact_text?: string;
  readonly files?: { readonly work: string | null; readonly project: string | null };
  readonly verdicts?: readonly {
    readonly hash: string;
    readonly verdict: "approved" | "rejected";
    readonly reason?: string;
    readonly processed: boolean;
  }[];
  readonly store?: { readonly fail_on_write: boolean };
}

interface Expected {
  readonly decision?: "advance" | "reject" | "wait" | "discard";
  readonly reason?: string;
  readonly judge_requested?: boolean;
  readonly claim_processed?: boolean;
  readonly labels_include?: readonly string[];
  readonly labels_exclude?: readonly string[];
  readonly rejections?: number;
  readonly log_level?: "info" | "warn";
  readonly artifact_from?: string;
  readonly escalation?: readonly string[];
  readonly verdict_processed?: boolean;
  readonly last_verdict?: string;
  readonly phase?: string;
  readonly hook_emitted?: boolean;
}

/** Our words for the decisions of the cases. */
const OUTCOMES = { advance: "advanced", reject: "rejected", wait: "waiting", discard: "stale" } as const;
const PATH = "docs/T-1/research.md";
const SECTIONED = "## Problem Statement\n...\n## Risks\n...";
const ofArea = (...areas: readonly string[]) => cases.filter(({ area }) => areas.includes(area));

describe("seed cases", () => {
  it.each(ofArea("claim.sections"))("$area: $name", ({ given, expected }) => {
    const { required, artifact_text } = given as unknown as {
      readonly required: readonly string[];
      readonly artifact_text: string;
    };
    expect(findMissingSections(artifact_text, required)).toEqual(
      (expected as { readonly missing: readonly string[] }).missing,
    );
  });

  it.each(ofArea("skip"))("$area: $name", ({ given, expected }) => {
    const { pipeline, item, skips } = given as unknown as {
      readonly pipeline: readonly string[];
      readonly item: { readonly phase: string };
      readonly skips: readonly string[];
    };
    const contracts = defineContracts(pipeline.map((phase) => ({ phase })));
    const accepted = skips.map(
      (skip_to) => decideSkip({ completed_phase: item.phase, skip_to, skip_reason: "because" }, contracts).ok,
    );
    expect(accepted).toEqual((expected as unknown as { readonly accepted: readonly boolean[] }).accepted);
    expect(
      decideSkip({ completed_phase: item.phase, skip_to: pipeline.at(-1)!, skip_reason: "because" }, contracts).ok,
    ).toBe(true);
  });

  it.each(
    ofArea(
      "claim.artifact",
      "claim.next",
      "claim.stale",
      "claim.version",
      "judge.mode",
      "judge.verdict",
      "judge.escalate",
      "advance.atomic",
    ),
  )("$area: $name", async ({ given: raw, expected: wanted }) => {
    const given = raw as unknown as Given;
    const expected = wanted as Expected;
    const contracts = defineContracts([
      {
        phase: given.contract.phase,
        contract_version: given.contract.version,
        artifact_path: PATH,
        required_sections: given.contract.required_sections,
        validation: { mode: given.contract.mode, escalate_if: given.contract.escalate_if },
      },
      { phase: "architecture" },
      { phase: "grooming" },
    ]);
    // One case says in words that the file was edited: the edit is an added line.
    const text =
      given.artifact_text?.includes("##") === false ? `${SECTIONED}\n${given.artifact_text}` : given.artifact_text;
    const files = given.files ?? { work: text ?? null, project: null };
    const map = (content: string | null) => new Map(content === null ? [] : [[PATH, content]]);
    const item = itemOf({
      id: "T-1",
      phase: given.item.phase,
      entry: 1,
      metrics: { ...itemOf().metrics, phase_rejection_count: given.item.rejections ?? 0 },
      runs: [{ runId: "r", worktreePath: "/w", startedAt: itemOf().createdAt, endedAt: null }],
    });
    const claimed = {
      completed_phase: given.claim.phase,
      contract_version: given.claim.contract_version,
      recommended_next_phase: given.claim.next_phase,
      artifact_path: given.claim.artifact,
      artifact_hash: given.claim.artifact_hash,
      open_questions: given.claim.open_questions,
    };

    // The pure decision.
    const sources = createMemoryArtifacts({ worktree: map(files.work), project: map(files.project) });
    const reading = await sources.read(PATH, { worktree: "/w" });
    const artifact: Artifact =
      reading.status === "found"
        ? { ...reading, path: PATH, hash: hashContent(reading.text) }
        : { ...reading, path: PATH };
    // "h1" stands for the text the case calls unchanged.
    const judged = hashContent(given.artifact_text?.includes("##") === true ? given.artifact_text : SECTIONED);
    const verdicts = (given.verdicts ?? []).map((one, index): Verdict =>
      verdictOf({
        id: `v${index}`,
        item_id: "T-1",
        artifact_hash: judged,
        contract_hash: contracts.byPhase["research"]!.hash,
        verdict: one.verdict,
        reason: one.reason ?? "ok",
        processed: one.processed,
      }),
    );
    const decision = decideClaim(
      caseOf({
        item,
        contracts,
        artifact,
        verdicts,
        claim: claimOf({ ...claimed, item_id: "T-1", contract_version: claimed.contract_version ?? 0 }),
      }),
    );
    if (expected.decision !== undefined) expect(decision.outcome).toBe(OUTCOMES[expected.decision]);
    if (expected.reason !== undefined) expect(decision).toMatchObject({ outcome: "rejected", code: expected.reason });
    if (expected.escalation !== undefined)
      expect(
        (decision as { readonly escalations: readonly { readonly trigger: string }[] }).escalations.map(
          ({ trigger }) => trigger,
        ),
      ).toEqual(expected.escalation);
    if (expected.artifact_from !== undefined) expect(artifact).toMatchObject({ from: expected.artifact_from });

    // The same through the store.
    const store = createMemoryWorkStore();
    const lines: WorkLogLine[] = [];
    await addItem(store, { id: "T-1" }, { contracts });
    const options = { contracts, artifacts: sources, log: (line: WorkLogLine): void => void lines.push(line) };
    await store.commit({ item: { ...item, version: 1 }, expectedVersion: 0 });
    await submitClaim(store, { item: "T-1", ...claimed }, options);
    const before = (await store.load("T-1"))!;
    await store.commit({
      item: { ...before.item, version: before.item.version + 1 },
      expectedVersion: before.item.version,
      verdicts,
    });
    const writing =
      given.store?.fail_on_write === true ? { ...store, commit: () => Promise.reject(new Error("disk full")) } : store;
    const result = await processClaims(writing, options);
    const after = (await store.load("T-1"))!;
    const hooks: string[] = [];
    await deliverHooks(store, { deliver: ({ name }) => void hooks.push(name) });

    if (expected.judge_requested !== undefined)
      expect(result.needsJudgeReview.length === 1).toBe(expected.judge_requested);
    if (expected.claim_processed !== undefined) expect(after.claims[0]!.processed).toBe(expected.claim_processed);
    if (expected.rejections !== undefined) expect(after.item.metrics.phase_rejection_count).toBe(expected.rejections);
    for (const label of expected.labels_include ?? []) expect(after.item.labels).toContain(label);
    for (const label of expected.labels_exclude ?? []) expect(after.item.labels).not.toContain(label);
    if (expected.log_level !== undefined)
      expect(lines.filter(({ event }) => event !== "artifact_warning").map(({ level }) => level)).toEqual([
        expected.log_level,
      ]);
    if (expected.verdict_processed !== undefined)
      expect(after.verdicts.every(({ processed }) => processed)).toBe(expected.verdict_processed);
    if (expected.last_verdict !== undefined) expect(after.item.metrics.last_verdict).toBe(expected.last_verdict);
    if (expected.phase !== undefined) expect(after.item.phase).toBe(expected.phase);
    if (expected.hook_emitted !== undefined) expect(hooks.length > 0).toBe(expected.hook_emitted);
  });

  it("seed cases has all of them", () => expect(cases).toHaveLength(14));
});
