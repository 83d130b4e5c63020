export { addItem } from "./add-item.ts";
export { type Artifact, type ArtifactReading, type ArtifactSource, createMemoryArtifacts } from "./artifact.ts";
export { checkContracts, type CheckedContracts, contractsOrThrow, type KnownNames } from "./check-contracts.ts";
export type { Claim, ClaimInput, ClaimOutcome } from "./claim-schema.ts";
export { completePhaseTool, type CompletePhaseOptions } from "./complete-phase-tool.ts";
export { artifactOnly, contractGate } from "./contract-gate.ts";
export { type ContractIssue, renderContractIssues } from "./contract-issue.ts";
export { type Contract, type ContractInput, contractJsonSchema } from "./contract-schema.ts";
export { contractFor, type ContractSet } from "./contract-set.ts";
export { contractsToGraph } from "./contracts-to-graph.ts";
export { type ClaimCase, type ClaimDecision, decideClaim, type RejectReason } from "./decide-claim.ts";
export { deliverHooks, type DeliverOptions, type PromotionRequest, type PromotionResult } from "./deliver-hooks.ts";
export { expireRevisions } from "./expire-revisions.ts";
export { followItem } from "./follow-item.ts";
export { giveVerdict } from "./give-verdict.ts";
export { endItemRun, releaseItem, startItemRun } from "./item-runs.ts";
export { pendingReviews } from "./items-having.ts";
export { type Judge, type JudgeOptions, type JudgeRequest, judgeReviews } from "./judge-reviews.ts";
export { parseContract, type ParsedContract } from "./parse-contract.ts";
export {
  type ClaimResult,
  processClaim,
  processClaims,
  type ProcessOptions,
  type ProcessResult,
} from "./process-claims.ts";
export { renderContractPrompt } from "./render-contract-prompt.ts";
export type { Section } from "./sections.ts";
export { createMemoryWorkStore } from "./stores/memory-store.ts";
export type { CheckInput, StructuralCheck, StructuralChecks } from "./structural-checks.ts";
export { submitClaim, type SubmitOptions } from "./submit-claim.ts";
export type {
  Escalation,
  EscalationTrigger,
  EscalationTriggers,
  TriggerInput,
} from "./triggers/escalation-triggers.ts";
export type { DiffFile } from "./triggers/parse-diff.ts";
export type { ClaimReview, Verdict, VerdictInput } from "./verdict-schema.ts";
export { verdictTool } from "./verdict-tool.ts";
export type { ItemStatus, NewItem, WorkItem } from "./work-item.ts";
export type { WorkLog, WorkLogLine } from "./work-log.ts";
export type {
  AuditComment,
  DueHook,
  HookMessage,
  HookName,
  HookSettlement,
  ItemQuery,
  PhaseAdvance,
  WorkChange,
  WorkHistory,
  WorkRecord,
  WorkStore,
} from "./work-store.ts";
