export { type DeliveryLog } from "./delivery-log.ts";
export { claimsMatch, type ClaimsMatchOptions } from "./gates/claims-match.ts";
export {
  changesCommitted,
  changesPushed,
  checksNotLoosened,
  ciGreen,
  type DeliveryGateOptions,
  pullRequestOpen,
} from "./gates/delivery-gates.ts";
export { freshTests, type FreshTestsOptions, type FreshTestsProblem } from "./gates/fresh-tests.ts";
export { gateVerdicts, type GateVerdict } from "./gates/gate-verdicts.ts";
export { type ClaimLexicon, englishClaims } from "./gates/read-claims.ts";
export { nonEmptyDiff, type NonEmptyDiffOptions } from "./gates/non-empty-diff.ts";
export { openTodos, type OpenTodosOptions } from "./gates/open-todos.ts";
export { testsNotWeakened, type TestsNotWeakenedOptions } from "./gates/tests-not-weakened.ts";
export { resultNudges, type ResultNudgesOptions } from "./nudges/result-nudges.ts";
export { shellFailures, type ShellFailuresFacts, type ShellFailuresOptions } from "./nudges/shell-failures.ts";
export { testFailures, type TestFailuresOptions } from "./nudges/test-failures.ts";
export { textOnlyReminder, type TextOnlyReminderOptions } from "./nudges/text-only-reminder.ts";
export { untestedEdits, type UntestedEditsFacts, type UntestedEditsOptions } from "./nudges/untested-edits.ts";
export { type BudgetUnit, phaseBudget, type PhaseBudgetFacts, type PhaseBudgetOptions } from "./phase-budget.ts";
export { phaseTracker, type PhaseTrackerOptions, type TrackerMemory } from "./phase-tracker.ts";
export { saturation, type SaturationFacts, type SaturationOptions } from "./saturation.ts";
export { type SignalCall, type SignalOptions } from "./track-by-signals.ts";
export { type PhaseState, trackerState } from "./tracker-state.ts";
