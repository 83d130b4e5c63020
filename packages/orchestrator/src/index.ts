export { type AgentContext, type AgentResult, type AgentSpec, defineAgent } from "./agents/agent.ts";
export {
  type CommandOptions,
  type Conversation,
  type ConversationPause,
  type ConversationStatus,
  createConversation,
} from "./conversation/conversation.ts";
export {
  type BoardEntry,
  type ConversationBoard,
  createConversationBoard,
  type WaitEnd,
  type WaitFor,
} from "./conversation/conversation-board.ts";
export {
  type AgentOutcome,
  type CompletionOutcome,
  conversationEvents,
  type Lesson,
  type RoundEnd,
  type RoutingCorrection,
} from "./conversation/conversation-events.ts";
export type { ConversationOptions, ConversationPhase, RouterIdentity } from "./conversation/conversation-options.ts";
export type { ConversationState, CycleState, HistoryEntry, PhaseVisit } from "./conversation/conversation-state.ts";
export type { HandOff, PhaseMove } from "./agents/hand-off.ts";
export type { HistoryOptions, PhaseHistory } from "./conversation/history.ts";
export { type InitialPhase, type InitialPhaseStrategy, modelInitialPhase } from "./phases/initial-phase.ts";
export type { Lease, LeaseAnswer, LeaseClaim, LeaseRequest, LeaseStatus, LeaseStore } from "./leases/lease-store.ts";
export {
  createMemoryLeaseStore,
  type LeaseEvent,
  type LeaseSnapshot,
  type MemoryLeaseStoreOptions,
} from "./leases/memory-lease-store.ts";
export type { MoveAnswer } from "./phases/move-phase.ts";
export { type CoverageReview, type PhaseCoverage, reviewCoverage } from "./phases/phase-coverage.ts";
export { phaseFallback } from "./phases/phase-fallback.ts";
export type { PromptFragment } from "./phases/phase-fragments.ts";
export type { ExclusivePhases, QueuePlace } from "./leases/phase-lease.ts";
export type { ProgressCaps } from "./rounds/progress-cap.ts";
export { recoverConversation, type RecoveredConversation } from "./conversation/recover-conversation.ts";
export type { Completion, Round } from "./rounds/round.ts";
export { type AskModel, type ModelCall, modelRouter, type Router, type RoutingRequest } from "./rounds/router.ts";
export type { RoutingDecision } from "./rounds/routing-decision.ts";
export { sevenPhases, type SevenPhasesOptions } from "./seven-phases.ts";
export type { AgentSignal, Schedule } from "./conversation/runtime-defaults.ts";
export type { AgentFailure, Supervisor } from "./rounds/supervisor.ts";
