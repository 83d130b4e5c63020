export { claimsTrue, type ClaimsTrueOptions } from "./gates/claims-true.ts";
export {
  committed,
  pushed,
  checksKept,
  ciGreen,
  type DeliveryGateOptions,
  pullRequestOpen,
} from "./gates/delivery-gates.ts";
export { testsFresh, type TestsFreshOptions } from "./gates/tests-fresh.ts";
export { gateVerdicts, type GateVerdict } from "./gates/gate-verdicts.ts";
export type { ClaimLexicon } from "./gates/read-claims.ts";
export { diffNotEmpty, type DiffNotEmptyOptions } from "./gates/diff-not-empty.ts";
export { todosDone, type TodosDoneOptions } from "./gates/todos-done.ts";
export { testsKept, type TestsKeptOptions } from "./gates/tests-kept.ts";
export { resultNudges, type ResultNudgesOptions } from "./nudges/result-nudges.ts";
export type { ShellFailuresFacts, ShellFailuresOptions } from "./nudges/shell-failures.ts";
export type { TestFailuresOptions } from "./nudges/test-failures.ts";
export type { TextOnlyReminderOptions } from "./nudges/text-only-reminder.ts";
export type { UntestedEditsFacts, UntestedEditsOptions } from "./nudges/untested-edits.ts";
export { type BudgetUnit, phaseBudget, type PhaseBudgetFacts, type PhaseBudgetOptions } from "./phase-budget.ts";
export { phaseTracker, type PhaseTrackerOptions } from "./phase-tracker.ts";
export { saturation, type SaturationFacts, type SaturationOptions } from "./saturation.ts";
export { type SignalCall, type SignalOptions } from "./track-by-signals.ts";
export { type PhaseState, trackerState } from "./tracker-state.ts";
