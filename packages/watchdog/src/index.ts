export { circuitBreaker, type CircuitBreakerOptions } from "./circuit-breaker.ts";
export { type Advice, escalation, type EscalationOptions } from "./escalation.ts";
export {
  requiredCall,
  type RequiredCallOptions,
  validationRetries,
  type ValidationRetriesOptions,
} from "./obligations.ts";
export { type Reminder, reminders, type RemindersOptions } from "./reminders.ts";
export {
  analyzePattern,
  type AnalyzePatternOptions,
  type PatternAnalysis,
  type PatternCall,
} from "./review/analyze-pattern.ts";
export { answerReviews, type AnswerReviewsOptions } from "./review/answer-reviews.ts";
export { type AskForHelpOptions, askForHelpTool } from "./review/ask-for-help-tool.ts";
export type { ReviewRequest } from "./review/build-review.ts";
export { budgetReview, type BudgetReviewOptions } from "./review/review.ts";
export { modelReviewer, personReviewer } from "./review/reviewers.ts";
export { stall, type StallOptions } from "./stall/stall.ts";
export { stallState } from "./stall/stall-state.ts";
export { limits, type LimitsOptions, watchdog, type WatchdogOptions } from "./watchdog.ts";
