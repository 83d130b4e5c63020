export { type AgentContext, type AgentResult, type AgentSpec, defineAgent } from "./agent.ts";
export {
  type CommandOptions,
  type Conversation,
  type ConversationPause,
  type ConversationStatus,
  createConversation,
} from "./conversation.ts";
export {
  type BoardEntry,
  type ConversationBoard,
  createConversationBoard,
  type WaitEnd,
  type WaitFor,
} from "./conversation-board.ts";
export {
  type AgentOutcome,
  type CompletionOutcome,
  conversationEvents,
  type Lesson,
  type RoundEnd,
  type RoutingCorrection,
} from "./conversation-events.ts";
export type { ConversationOptions, ConversationPhase, RouterIdentity } from "./conversation-options.ts";
export {
  conversationState,
  type ConversationState,
  cycleState,
  type CycleState,
  type HistoryEntry,
  type PhaseVisit,
} from "./conversation-state.ts";
export type { HandOff, PhaseMove } from "./hand-off.ts";
export type { HistoryOptions, PhaseHistory } from "./history.ts";
export { guessInitialPhase, type InitialPhase, type InitialPhaseStrategy, modelInitialPhase } from "./initial-phase.ts";
export type { Lease, LeaseAnswer, LeaseClaim, LeaseRequest, LeaseStatus, LeaseStore } from "./lease-store.ts";
export {
  createMemoryLeaseStore,
  type LeaseEvent,
  type LeaseSnapshot,
  type MemoryLeaseStoreOptions,
} from "./memory-lease-store.ts";
export type { MoveAnswer } from "./move-phase.ts";
export {
  checkCoverage,
  type CoverageEvent,
  type CoverageReview,
  executedBefore,
  type PhaseCoverage,
  reviewCoverage,
} from "./phase-coverage.ts";
export { phaseFallback } from "./phase-fallback.ts";
export type { PromptFragment } from "./phase-fragments.ts";
export type { ExclusivePhases, QueuePlace } from "./phase-lease.ts";
export type { ProgressCaps } from "./progress-cap.ts";
export { recoverConversation, type RecoveredConversation } from "./recover-conversation.ts";
export type { Completion, Round } from "./round.ts";
export { renderRoutingPrompt, type Router, type RoutingRequest } from "./router.ts";
export { END, type ParsedDecision, parseRoutingDecision, type RoutingDecision } from "./routing-decision.ts";
export type { AgentSignal, Schedule } from "./runtime-defaults.ts";
export type { AgentFailure, Supervisor } from "./supervisor.ts";
