export { addItem } from "./add-item.ts";
export {
  type Artifact,
  type ArtifactPlace,
  type ArtifactReading,
  type ArtifactSource,
  memoryArtifacts,
} from "./artifact.ts";
export { checkContracts, type CheckedContracts, contractsOrThrow, type KnownNames } from "./check-contracts.ts";
export { type Claim, type ClaimInput, claimInputSchema, type ClaimOutcome, type Snapshot } from "./claim-schema.ts";
export { completePhaseTool, type CompletePhaseOptions } from "./complete-phase-tool.ts";
export { artifactOnly, contractGate, type ContractGateState, contractGateState } from "./contract-gate.ts";
export { type ContractIssue, renderContractIssues } from "./contract-issue.ts";
export { type Contract, type ContractInput, contractJsonSchema, contractSchema } from "./contract-schema.ts";
export { contractFor, type ContractSet, phasesAfter } from "./contract-set.ts";
export { contractsToGraph } from "./contracts-to-graph.ts";
export { type ClaimCase, type ClaimDecision, decideClaim, type RejectReason } from "./decide-claim.ts";
export { decideSkip, type SkipDecision } from "./decide-skip.ts";
export { deliverHooks, type DeliverOptions, type PromotionRequest, type PromotionResult } from "./deliver-hooks.ts";
export { expireRevisions } from "./expire-revisions.ts";
export { followItem } from "./follow-item.ts";
export { giveVerdict } from "./give-verdict.ts";
export { artifactPathFor, isSafeIdentifier } from "./identifier.ts";
export { endItemRun, releaseItem, startItemRun } from "./item-runs.ts";
export { pendingReviews } from "./items-having.ts";
export { type Judge, type JudgeOptions, type JudgeRequest, judgeReviews } from "./judge-reviews.ts";
export { parseContract, type ParsedContract } from "./parse-contract.ts";
export { type ClaimResult, processClaim, processClaims, type ProcessOptions, type ProcessResult } from "./process-claims.ts";
export { type PathProblem, pathProblem, promotionProblem } from "./relative-path.ts";
export { renderContractPrompt } from "./render-contract-prompt.ts";
export { renderJudgePrompt } from "./render-judge-prompt.ts";
export { findEmptySections, findMissingSections, type MissingSection, readSections, type Section, type SectionOptions } from "./sections.ts";
export { hashContent } from "./sha256.ts";
export { createMemoryWorkStore } from "./stores/memory-store.ts";
export type { CheckInput, StructuralCheck, StructuralChecks } from "./structural-checks.ts";
export { submitClaim, type SubmitOptions } from "./submit-claim.ts";
export { type Escalation, type EscalationTrigger, type EscalationTriggers, findEscalations, type TriggerInput } from "./triggers/escalation-triggers.ts";
export type { DiffFile } from "./triggers/parse-diff.ts";
export { updateItem } from "./update-item.ts";
export { type Review, type Verdict, type VerdictInput, verdictInputSchema } from "./verdict-schema.ts";
export { verdictTool } from "./verdict-tool.ts";
export type { ItemArtifact, ItemRun, ItemStatus, NewItem, PhaseMetrics, SkipFinding, WorkItem } from "./work-item.ts";
export type { WorkLog, WorkLogLine } from "./work-log.ts";
export type {
  AuditComment,
  HookMessage,
  HookName,
  HookSettlement,
  ItemQuery,
  PhaseAdvance,
  TakenHook,
  WorkChange,
  WorkHistory,
  WorkRecord,
  WorkStore,
} from "./work-store.ts";
