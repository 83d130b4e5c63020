export { checkGraph } from "./check-graph.ts";
export { atMost } from "./combinators/at-most.ts";
export { cooldown } from "./combinators/cooldown.ts";
export { firstOf } from "./combinators/first-of.ts";
export { inPhase } from "./combinators/in-phase.ts";
export { named } from "./combinators/named.ts";
export { oncePerEpisode } from "./combinators/once-per-episode.ts";
export { withMode } from "./combinators/with-mode.ts";
export {
  alert,
  type Alert,
  type Decision,
  emit,
  type Emit,
  nudge,
  type Nudge,
  refuse,
  type Refuse,
  review,
  type Review,
  stop,
  type Stop,
  transition,
  type Transition,
  veto,
  type Veto,
  vouch,
  type Vouch,
} from "./decision.ts";
export { defineGate, type GateAnswer } from "./define-gate.ts";
export { defineEvent, type EventDefinition, expectationSet } from "./define-event.ts";
export { isPhasekitError, PhasekitError } from "./errors.ts";
export {
  type EventOf,
  type EventType,
  type HostEvent,
  isHostEvent,
  type NewEvent,
  type RunEvent,
  type Usage,
} from "./events/run-event.ts";
export type { Evidence, EvidenceGrade } from "./evidence.ts";
export { graphToMermaid } from "./graph-to-mermaid.ts";
export type { Interpreter, ToolCall, ToolResult } from "./interpreter.ts";
export type { Activity, Meaning } from "./meaning.ts";
export { nameTableInterpreter, type ToolTable } from "./name-table-interpreter.ts";
export { definePhaseGraph, type PhaseGraph, type PhaseSpec } from "./phase-graph.ts";
export { phaseStatusTool, type PlainTool } from "./plain-tool.ts";
export { budget } from "./policies/budget.ts";
export { phaseGuidance } from "./policies/phase-guidance.ts";
export { phaseRules } from "./policies/phase-rules.ts";
export { phaseTimeout } from "./policies/phase-timeout.ts";
export { requiredPhases } from "./policies/required-phases.ts";
export { stallReminder } from "./policies/stall-reminder.ts";
export { definePolicy, type Policy, type PolicyList } from "./policy.ts";
export type { Reason } from "./reason-codes.ts";
export { reasons } from "./reasons.ts";
export { replayRun } from "./replay-run.ts";
export { createRun, type Run, type RunOptions, type RunPort, type TurnAnswer } from "./run.ts";
export { defineState, type Mode, type RunView } from "./run-view.ts";
export { simulateRun } from "./simulate-run.ts";
export { checkEvent } from "./ingest/check-event.ts";
export type { Redactor } from "./ingest/ingest-context.ts";
export { trackRun } from "./track-run.ts";
