/** Helpers for authors of packages: policies, adapters, stores and interpreters that others install. */
export type { NudgeLimits } from "./arbitrate-nudges.ts";
export { type GraphIssue, type GraphIssueCode, renderGraphIssues } from "./graph-issue.ts";
export { clipText, type ClipLimits } from "./clip.ts";
export { type CodingNotes, notesOf } from "./coding-notes.ts";
export { type DecidingContext, mapDecisions } from "./combinators/map-decisions.ts";
export {
  type AnytimeDecision,
  type FinishDecision,
  type Severity,
  severityOf,
  type ToolDecision,
  type TurnDecision,
} from "./decision.ts";
export type { GateOptions } from "./define-gate.ts";
export { printOnce, printWarning } from "./development-mode.ts";
export { explorationSaturation, type DefinedEvent, type Expectation, phaseTimedOut } from "./define-event.ts";
export { errorToShape } from "./error-shape.ts";
export type { PhasekitErrorOptions } from "./errors.ts";
export type { DerivedEvents, DropWhy, EntryEnd, RefusedWhy, StopHow } from "./events/derived-events.ts";
export type { EventIssue } from "./events/field.ts";
export {
  type Actor,
  type DerivedEvent,
  type DerivedType,
  derivedTypes,
  type EntryOutcome,
  type HostType,
  hostTypes,
  isDerivedType,
  isHostType,
} from "./events/run-event.ts";
export {
  evidenceAtEnd,
  findingOf,
  gradeEvidence,
  type GateFinding,
  isVerified,
  type VouchVerdict,
} from "./evidence.ts";
export { type FinishReason, normalizeFinishReason } from "./finish-reason.ts";
export { pushBounded, setBounded } from "./bounded.ts";
export { defined, type DefinedMembers } from "./defined.ts";
export { matchesGlob } from "./glob.ts";
export { hashText } from "./hash.ts";
export type { InterpreterSource } from "./interpreter.ts";
export { isTime } from "./ingest/stamp-event.ts";
export { isUnread } from "./is-unread.ts";
export { type Json, type JsonObject, normalizeJson } from "./json.ts";
export type { TestMeaning } from "./meaning.ts";
export type { ToolTableEntry } from "./name-table-interpreter.ts";
export { edgesFrom, type Guard, type PhaseEdge, phaseSpec, type RequiredVisit } from "./phase-graph.ts";
export { ownValue } from "./own-value.ts";
export type { PlainToolResult } from "./plain-tool.ts";
export type { BudgetOptions } from "./policies/budget.ts";
export type { ExtendOptions } from "./policies/budget-extension.ts";
export { type PhaseGuidanceOptions, renderGuidance } from "./policies/phase-guidance.ts";
export type { StallReminderOptions } from "./policies/stall-reminder.ts";
export type { DecidingType, DecisionAt, Deciders, Observers, TextFinding, TextWatcher } from "./policy.ts";
export { quote } from "./quote.ts";
export { isReason, reasonCodes } from "./reason-codes.ts";
export { type Blame, countsAgainstModel } from "./reasons.ts";
export { CLOSING_TEXT, NUDGE_TAG, renderNudges, SEAL_TEXT, wrapEnvelope } from "./agent-texts.ts";
export { isObject, listIn, type LooseObject, nameIn, numberIn, parsedIn, textIn, toObject } from "./loose-object.ts";
export type { ReplayedRun } from "./replay-run.ts";
export type { ChildOptions, EndOptions, FinishAnswer, MoveOptions, Subscriber, ToolAnswer } from "./run.ts";
export { tableOf } from "./table-of.ts";
export { isDoneTodo } from "./todo-status.ts";
export {
  type ChildSummary,
  type EntryMetrics,
  remainingBudget,
  depthOf,
  type LimitName,
  type Limits,
  type OpenAlert,
  type OwedVisit,
  type PendingCall,
  type PendingReview,
  type RunOutcome,
  type RunStatus,
  type SentNudge,
  spentBudget,
  type StateKey,
  type TransitionRecord,
  type UsageTotals,
} from "./run-view.ts";
export { assertObject } from "./run-options.ts";
export type { Simulation } from "./simulate-run.ts";
export { upgradeEvent } from "./upgrade-event.ts";
export { type ValueCheck, valueChecks } from "./value-checks.ts";
