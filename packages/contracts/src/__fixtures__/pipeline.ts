import type { Artifact } from "../contract/artifact.ts";
import type { Claim } from "../claims/claim-schema.ts";
import type { ClaimCase } from "../claims/decide-claim.ts";
import { hashContent } from "../sha256.ts";
import { defineContracts } from "../contract/define-contracts.ts";
import type { Verdict } from "../reviews/verdict-schema.ts";
import type { WorkItem } from "../items/work-item.ts";

export const START = Date.parse("2026-03-01T12:00:00Z");

/** Research, architecture, grooming, ready; architecture is left to a judge. */
export const readiness = defineContracts([
  {
    phase: "research",
    artifact_path: "docs/tickets/{identifier}/research.md",
    required_sections: ["problem_statement", "risks"],
    validation: { mode: "structural", escalate_if: ["open_questions_present", "security_sensitive"] },
    allow_promote_to: ["docs/research"],
  },
  { phase: "architecture", artifact_path: "docs/tickets/{identifier}/design.md", validation: { mode: "judge" } },
  { phase: "grooming", artifact_path: "docs/tickets/{identifier}/grooming.md" },
  { phase: "ready", validation: { mode: "trust" } },
]);

export const RESEARCH_PATH = "docs/tickets/SYM-001/research.md";
export const RESEARCH = "# Research\n\n## Problem Statement\n\nThe list is slow.\n\n## Risks\n\nNone that we know.\n";

export function artifactOf(text = RESEARCH, path = RESEARCH_PATH): Artifact {
  return { status: "found", text, path, hash: hashContent(text), from: "worktree" };
}

export function itemOf(members: Partial<WorkItem> = {}): WorkItem {
  const at = new Date(START).toISOString();
  return {
    id: "SYM-001",
    phase: "research",
    entry: 1,
    status: "in_progress",
    labels: ["phase:research"],
    version: 3,
    metrics: { entered_phase_at: at, phase_rejection_count: 0, last_completion_hash: null, last_verdict: null },
    artifacts: [],
    runs: [],
    skips: [],
    completed: false,
    revisionSince: null,
    expiries: 0,
    held: null,
    forgiven: { rejections: 0, runs: 0 },
    changeRequest: null,
    project: { name: "demo" },
    createdAt: at,
    updatedAt: at,
    ...members,
  };
}

export function claimOf(members: Partial<Claim> = {}): Claim {
  return {
    id: "c1",
    category: "phase_completion",
    item_id: "SYM-001",
    run_id: "run-1",
    entry: 1,
    contract_hash: null,
    snapshot: null,
    idempotency_key: "SYM-001/c1",
    content_hash: "x",
    created_at: new Date(START).toISOString(),
    processed: false,
    summary: "Research complete",
    completed_phase: "research",
    contract_version: 1,
    recommended_next_phase: "architecture",
    artifact_path: null,
    artifact_hash: null,
    confidence: "high",
    open_questions: [],
    promote_to: null,
    promote_base_hash: null,
    skip_to: null,
    skip_reason: null,
    ...members,
  };
}

export function verdictOf(members: Partial<Verdict> = {}): Verdict {
  return {
    id: "v1",
    category: "phase_verdict",
    summary: "Phase approved",
    item_id: "SYM-001",
    phase: "research",
    entry: 1,
    claim_id: "c1",
    review_id: "r1",
    artifact_hash: hashContent(RESEARCH),
    contract_hash: readiness.byPhase["research"]?.hash ?? "",
    skip_to: null,
    verdict: "approved",
    reason: "Good.",
    fix_instructions: null,
    judge: "ada",
    processed: false,
    created_at: new Date(START).toISOString(),
    ...members,
  };
}

export function caseOf(members: Partial<ClaimCase> = {}): ClaimCase {
  return { item: itemOf(), claim: claimOf(), contracts: readiness, artifact: artifactOf(), verdicts: [], ...members };
}
