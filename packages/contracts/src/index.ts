export {
  type Artifact,
  type ArtifactReading,
  type ArtifactSource,
  createMemoryArtifacts,
} from "./contract/artifact.ts";
export {
  checkContracts,
  type CheckedContracts,
  contractsOrThrow,
  type KnownNames,
} from "./contract/check-contracts.ts";
export type { Claim, ClaimInput } from "./claims/claim-schema.ts";
export type { CompletePhaseOptions } from "./claims/complete-phase-tool.ts";
export { artifactOnly, contractGate } from "./contract/contract-gate.ts";
export type { ContractIssue } from "./contract/contract-issue.ts";
export type { Contract, ContractInput } from "./contract/contract-schema.ts";
export type { ContractSet } from "./contract/contract-set.ts";
export { contractsToGraph } from "./contract/contracts-to-graph.ts";
export {
  type ClaimCase,
  type ClaimDecision,
  type ClaimOutcome,
  decideClaim,
  type RejectCode,
} from "./claims/decide-claim.ts";
export { type ContractDefinition, defineContracts } from "./contract/define-contracts.ts";
export type { DeliverOptions, PromotionRequest, PromotionResult } from "./items/deliver-hooks.ts";
export type { ExpiryOptions } from "./items/expire-revisions.ts";
export type { LeaseOptions } from "./items/take-items.ts";
export type { Judge, JudgeAnswer, ClaimJudgeOptions, JudgeRequest } from "./reviews/judge-reviews.ts";
export { parseContract, type ParsedContract } from "./contract/parse-contract.ts";
export { createPipeline, type DeliveredHooks, type Pipeline, type PipelineOptions } from "./pipeline.ts";
export type { ClaimResult, ProcessOptions, TickResult } from "./claims/process-claims.ts";
export { renderContractPrompt } from "./contract/render-contract-prompt.ts";
export type { Section } from "./contract/sections.ts";
export { createMemoryWorkStore, type MemoryWorkStoreOptions } from "./stores/memory-store.ts";
export type { CheckInput, StructuralCheck, StructuralChecks } from "./contract/structural-checks.ts";
export type { ClaimOptions } from "./claims/submit-claim.ts";
export type {
  Escalation,
  EscalationTrigger,
  EscalationTriggers,
  TriggerInput,
} from "./triggers/escalation-triggers.ts";
export type { DiffFile } from "./triggers/parse-diff.ts";
export type { ClaimReview, Verdict, VerdictInput } from "./reviews/verdict-schema.ts";
export type { ItemStatus, NewItem, WorkItem } from "./items/work-item.ts";
export type { WorkLog, WorkLogLine } from "./items/work-log.ts";
export type {
  AuditComment,
  DueHook,
  HookMessage,
  HookName,
  HookSettlement,
  ItemLease,
  ItemQuery,
  LeasedWork,
  PhaseAdvance,
  ReleasedItem,
  WorkChange,
  WorkHistory,
  WorkRecord,
  WorkStore,
} from "./stores/work-store.ts";
