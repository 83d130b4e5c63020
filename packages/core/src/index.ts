export type { NudgeLimits } from "./arbitrate-nudges.ts";
export { checkGraph, type GraphIssue, type GraphIssueCode, renderGraphIssues } from "./check-graph.ts";
export { clipText, type ClipLimits } from "./clip.ts";
export { atMost } from "./combinators/at-most.ts";
export { cooldown } from "./combinators/cooldown.ts";
export { firstOf } from "./combinators/first-of.ts";
export { inPhase } from "./combinators/in-phase.ts";
export { type DecidingContext, mapDecisions } from "./combinators/map-decisions.ts";
export { named } from "./combinators/named.ts";
export { oncePerEpisode } from "./combinators/once-per-episode.ts";
export { withMode } from "./combinators/with-mode.ts";
export {
  alert,
  type Alert,
  type AnytimeDecision,
  type Decision,
  emit,
  type Emit,
  type FinishDecision,
  nudge,
  type Nudge,
  refuse,
  type Refuse,
  review,
  type Review,
  type Severity,
  severityOf,
  stop,
  type Stop,
  type ToolDecision,
  transition,
  type Transition,
  type TurnDecision,
  veto,
  type Veto,
  vouch,
  type Vouch,
} from "./decision.ts";
export { defineFact, explorationSaturation, type FactEvent, type FactKind, phaseTimedOut } from "./define-fact.ts";
export { errorToShape } from "./error-shape.ts";
export { isPhasekitError, PhasekitError, type PhasekitErrorOptions, runEnded } from "./errors.ts";
export type { DerivedFacts, DropWhy, EntryEnd, RefusedWhy, StopHow } from "./facts/derived-facts.ts";
export type { FactIssue } from "./facts/field.ts";
export {
  type Actor,
  type DerivedEvent,
  type DerivedType,
  derivedTypes,
  type EntryOutcome,
  type EventOf,
  type EventType,
  type HostEvent,
  type HostType,
  hostTypes,
  isDerivedType,
  isHostFact,
  isHostType,
  type NewFact,
  type RunEvent,
  type Usage,
} from "./facts/run-event.ts";
export { matchesGlob } from "./glob.ts";
export { graphToMermaid } from "./graph-to-mermaid.ts";
export { hashText } from "./hash.ts";
export type { Interpreter, InterpreterSource, ToolCall, ToolResult } from "./interpreter.ts";
export { type Json, type JsonObject, normalizeJson } from "./json.ts";
export type { Activity, Meaning, TestMeaning } from "./meaning.ts";
export { nameTableInterpreter, type ToolRule, type ToolTable } from "./name-table-interpreter.ts";
export {
  definePhaseGraph,
  edgesFrom,
  type Guard,
  type PhaseEdge,
  type PhaseGraph,
  phaseSpec,
  type PhaseSpec,
  type RequiredVisit,
} from "./phase-graph.ts";
export { phaseStatusTool, type PlainTool, type PlainToolResult } from "./plain-tool.ts";
export { budget, type BudgetOptions } from "./policies/budget.ts";
export { phaseGuidance, type PhaseGuidanceOptions, renderGuidance } from "./policies/phase-guidance.ts";
export { phaseRules } from "./policies/phase-rules.ts";
export { phaseTimeout } from "./policies/phase-timeout.ts";
export { requiredPhases } from "./policies/required-phases.ts";
export { stallReminder, type StallReminderOptions } from "./policies/stall-reminder.ts";
export {
  type DecidingType,
  definePolicy,
  type DecisionAt,
  type Deciders,
  type Observers,
  type Policy,
  type PolicyList,
  type TextFinding,
  type TextWatcher,
} from "./policy.ts";
export { codingPhases } from "./presets/coding-phases.ts";
export { conversationPhases } from "./presets/conversation-phases.ts";
export { deliveryPhases } from "./presets/delivery-phases.ts";
export { pipelinePhases } from "./presets/pipeline-phases.ts";
export { readinessPhases } from "./presets/readiness-phases.ts";
export { quote } from "./quote.ts";
export { isReason, type Reason, reasonCodes } from "./reason-codes.ts";
export { type Blame, countsAgainstModel, reasons } from "./reasons.ts";
export { NUDGE_TAG, renderNudges } from "./render-nudges.ts";
export { replayRun, type ReplayedRun } from "./replay-run.ts";
export {
  type ChildOptions,
  createRun,
  type EndOptions,
  type FinishAnswer,
  type MoveOptions,
  type Run,
  type RunOptions,
  type RunPort,
  type Subscriber,
  type ToolAnswer,
  type TurnAnswer,
} from "./run.ts";
export {
  type ChildSummary,
  defineState,
  type EntryMetrics,
  left,
  type Limits,
  type Mode,
  type OpenAlert,
  type OwedVisit,
  type PendingCall,
  type PendingReview,
  type RunOutcome,
  type RunStatus,
  type RunView,
  type SentNudge,
  spent,
  type StateKey,
  type TransitionRecord,
  type UsageTotals,
} from "./run-view.ts";
export { type Simulation, simulateRun } from "./simulate-run.ts";
export { checkFact, type Redactor } from "./take-fact.ts";
export { trackRun } from "./track-run.ts";
export { upgradeEvent } from "./upgrade-event.ts";
