export { type AgentContext, type AgentResult, type AgentSpec, defineAgent } from "./agent.ts";
export { agentTodos } from "./agent-policies.ts";
export { asksForListOnly, checkCompletion, type CompletionCheck, type CompletionVerdict, type TodoItem } from "./completion-gate.ts";
export { type Conversation, type ConversationPause, type ConversationStatus, createConversation, type Doing } from "./conversation.ts";
export { type BoardEntry, type ConversationBoard, createConversationBoard, type WaitEnd, type WaitFor } from "./conversation-board.ts";
export {
  agentFinished,
  type AgentFinished,
  completionIgnored,
  type CompletionOutcome,
  conversationEnding,
  cycleNoted,
  leaseChanged,
  type LeaseChanged,
  lessonLearned,
  type LessonLearned,
  roundCancelled,
  roundClosed,
  type RoundEnd,
  roundOpened,
  type RoundOpened,
  routingCorrected,
  type RoutingCorrected,
  waitChanged,
  wishHeld,
} from "./conversation-facts.ts";
export type { ConversationOptions, ConversationPhase, RouterIdentity } from "./conversation-options.ts";
export { conversationState, type ConversationState, cycleState, type CycleState, type HistoryEntry, type PhaseStay, type PhaseWish } from "./conversation-state.ts";
export { missingReflections } from "./cycle-policy.ts";
export { HAND_OFF_WINDOW_MS, type HandOff, handOffOf, isHandOff, type PhaseRecord, renderHandOff } from "./hand-off.ts";
export { type HistoryOptions, phaseHistory, type PhaseHistory, renderHistory } from "./history.ts";
export { guessInitialPhase, type InitialPhase, type InitialPhaseStrategy, modelInitialPhase } from "./initial-phase.ts";
export type { Lease, LeaseAnswer, LeaseClaim, LeaseRequest, LeaseStatus, LeaseStore } from "./lease-store.ts";
export { checkLesson, type LessonVerdict } from "./lesson.ts";
export { createMemoryLeaseStore, type LeaseEvent, type LeaseSnapshot, type MemoryLeaseStoreOptions } from "./memory-lease-store.ts";
export type { MoveAnswer } from "./move-phase.ts";
export { checkCoverage, type CoverageEvent, type CoverageReview, executedBefore, type PhaseCoverage, reviewCoverage } from "./phase-coverage.ts";
export { phaseFallback } from "./phase-fallback.ts";
export { type Acquaintance, phaseFragments, type PromptFragment, renderDefinitions, renderPrompt } from "./phase-fragments.ts";
export type { ExclusivePhases, Queued } from "./phase-lease.ts";
export { completeTool, completionText, lessonTool } from "./phase-tools.ts";
export { type Attempts, countAttempt, mayTryAgain, noAttempts, type ProgressCaps } from "./progress-cap.ts";
export { recoverConversation, type RecoveredConversation } from "./recover-conversation.ts";
export type { Completion, Round } from "./round.ts";
export { renderRoutingPrompt, type Router, type RoutingRequest } from "./router.ts";
export { END, isEnd, type ParsedDecision, parseRoutingDecision, type RoutingDecision } from "./routing-decision.ts";
export type { AgentFailure, Supervisor } from "./supervisor.ts";
export type { AgentSignal, Schedule } from "./system.ts";
