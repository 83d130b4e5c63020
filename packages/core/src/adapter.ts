export { answerReview, reviewedTurn, type Reviewer, type ReviewVerdict } from "./adapter/answer-review.ts";
export { endOwnRun, suspendOwnRun } from "./adapter/end-own-run.ts";
export { grantUpTo } from "./adapter/grant-up-to.ts";
export {
  costOf,
  type ModelPrice,
  pricedRun,
  priceProblem,
  pricesAt,
  pricesFromLiteLlm,
  pricesFromModelsDev,
  type PriceTable,
  type TokenPrices,
} from "./adapter/prices.ts";
export { createSharedBudget, type SharedBudget } from "./adapter/shared-budget.ts";
export { runEnded, runStopped } from "./errors.ts";
export { isAbort } from "./is-abort.ts";
export { type CallResult, type ExecuteOptions, makeCalls, type ToolHandlers } from "./adapter/make-calls.ts";
export { isOffered, modelForLabel } from "./adapter/phase-wishes.ts";
export { createNudgeAnchors, type NudgeAnchors } from "./adapter/nudge-anchors.ts";
export { plainToolHandlers } from "./adapter/plain-tool-handlers.ts";
export { quotaToEvents } from "./adapter/quota-to-events.ts";
export { type AnsweredCall, knownUsage, type ModelAnswer, readCall, recordAnswer } from "./adapter/record-answer.ts";
export { type ConversationMessage, recordConversation } from "./adapter/record-conversation.ts";
export { type FinishReason, normalizeFinishReason } from "./finish-reason.ts";
export { runFrom, type RunSource } from "./adapter/run-source.ts";
export { shieldRun, type ShieldedRun } from "./adapter/shield-run.ts";
export { systemClock } from "./system-clock.ts";
export { failureToEvent, failureToModelEvent, resultToEvent } from "./adapter/result-to-event.ts";
export { type ChunkReader, type ChunkText, watchChunks } from "./adapter/watch-chunks.ts";
