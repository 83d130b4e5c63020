// Graphs.
export { checkGraph } from "./graph/check-graph.ts";
export type { GraphIssue, GraphIssueCode } from "./graph/graph-issue.ts";
export { graphToMermaid } from "./graph/graph-to-mermaid.ts";
export {
  definePhaseGraph,
  type Guard,
  type PhaseEdge,
  type PhaseGraph,
  type PhaseSpec,
  type RequiredVisit,
} from "./graph/phase-graph.ts";
export { codingPhases } from "./graph/presets/coding-phases.ts";
export { conversationPhases } from "./graph/presets/conversation-phases.ts";
export { deliveryPhases } from "./graph/presets/delivery-phases.ts";
export { pipelinePhases } from "./graph/presets/pipeline-phases.ts";
export { readinessPhases } from "./graph/presets/readiness-phases.ts";
export { researchPhases } from "./graph/presets/research-phases.ts";
export { supportPhases } from "./graph/presets/support-phases.ts";

// Runs, and the view that policies read.
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
} from "./run/run.ts";
export type { RunSnapshot } from "./run/snapshot-run.ts";
export type { Redactor } from "./ingest/ingest-context.ts";
export type { NudgeLimits } from "./step/arbitrate-nudges.ts";
export type { ClipLimits } from "./text/clip.ts";
export { trackRun } from "./run/track-run.ts";
export { playRun, type PlayRunOptions, type RecordedEnding, type RecordedHeader } from "./log/play-run.ts";
export { replayRun, type ReplayedRun } from "./log/replay-run.ts";
export { simulateRun, type Simulation } from "./log/simulate-run.ts";
export { phaseStatusTool, type PlainTool, type PlainToolResult } from "./run/plain-tool.ts";
export {
  type ChildSummary,
  defineState,
  type EntryMetrics,
  type LimitName,
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
  type StateKey,
  type TransitionRecord,
  type UsageTotals,
} from "./view/run-view.ts";

// Policies and their decisions.
export {
  type Deciders,
  type DecidingType,
  type DecisionAt,
  definePolicy,
  type Observers,
  type Policy,
  type PolicyList,
  type TextFinding,
  type TextWatcher,
} from "./policies/policy.ts";
export { defineGate, type GateAnswer, type GateOptions } from "./policies/define-gate.ts";
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
} from "./policies/decision.ts";
export { budget, type BudgetOptions } from "./policies/budget.ts";
export type { ExtendOptions } from "./policies/budget-extension.ts";
export { compactionLimit, type CompactionLimitOptions } from "./policies/compaction-limit.ts";
export { compactionReminder } from "./policies/compaction-reminder.ts";
export { phaseGuidance, type PhaseGuidanceOptions } from "./policies/phase-guidance.ts";
export { stallReminder, type StallReminderOptions } from "./policies/stall-reminder.ts";
export { onceOnly } from "./policies/once-only.ts";
export { subAgentLimit, type SubAgentLimitOptions } from "./policies/sub-agent-limit.ts";
export { atMost, type AtMostOptions } from "./policies/combinators/at-most.ts";
export { cooldown } from "./policies/combinators/cooldown.ts";
export { firstOf } from "./policies/combinators/first-of.ts";
export { inPhase } from "./policies/combinators/in-phase.ts";
export { named } from "./policies/combinators/named.ts";
export { withMode } from "./policies/combinators/with-mode.ts";

// Events and their meaning.
export {
  type Actor,
  type DerivedEvent,
  type DerivedType,
  type EntryOutcome,
  type EventOf,
  type EventType,
  type HostEvent,
  type HostType,
  isHostEvent,
  type NewEvent,
  type RunEvent,
  type Usage,
} from "./events/run-event.ts";
export type { DropWhy, EntryEnd, RefusedWhy, StopHow } from "./events/derived-events.ts";
export {
  defineEvent,
  type DefinedEvent,
  type EventDefinition,
  type Expectation,
  expectationSet,
  startedOver,
} from "./events/define-event.ts";
export { checkEvent } from "./ingest/check-event.ts";
export type { EventIssue } from "./events/field.ts";
export type { Activity, Meaning, TestMeaning } from "./events/meaning.ts";
export type { Interpreter, InterpreterSource, ToolCall, ToolResult } from "./ingest/interpreter.ts";
export {
  describeTools,
  nameTableInterpreter,
  type ToolTable,
  type ToolTableEntry,
} from "./ingest/name-table-interpreter.ts";
export type { Evidence, EvidenceGrade, VouchVerdict } from "./account/evidence.ts";
export type { Json, JsonObject } from "./text/json.ts";

// Reasons and errors.
export type { Reason } from "./events/reason-codes.ts";
export { type Blame, reasons } from "./events/reasons.ts";
export { isPhasekitError, PhasekitError, type PhasekitErrorOptions } from "./errors.ts";
