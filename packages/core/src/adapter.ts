// The way of a run through a host: adapters.
export { answerReview, type Reviewer, type ReviewVerdict } from "./adapter/answer-review.ts";
export { askTurn, closingTurn } from "./adapter/ask-turn.ts";
export { endOwnRun } from "./adapter/end-own-run.ts";
export { grantUpTo } from "./adapter/grant-up-to.ts";
export { type CallResult, type ExecuteOptions, makeCalls, type ToolHandlers } from "./adapter/make-calls.ts";
export { knownUsage, type UsageForm } from "./adapter/known-usage.ts";
export { createNudgeAnchors, type NudgeAnchors } from "./adapter/nudge-anchors.ts";
export { isOffered, modelForLabel } from "./adapter/phase-wishes.ts";
export {
  costOf,
  type ModelPrice,
  pricedRun,
  priceProblem,
  pricesFrom,
  type PriceTable,
  type TokenPrices,
} from "./adapter/prices.ts";
export { quotaToEvents } from "./adapter/quota-to-events.ts";
export { type AnsweredCall, type ModelAnswer, readCall, recordAnswer } from "./adapter/record-answer.ts";
export { type ConversationMessage, recordConversation } from "./adapter/record-conversation.ts";
export { failureToEvent, failureToModelEvent, resultToEvent } from "./adapter/result-to-event.ts";
export { assertRunFirst, runFrom, type RunSource } from "./adapter/run-source.ts";
export { createSharedBudget, type SharedBudget } from "./adapter/shared-budget.ts";
export { shieldRun, type ShieldedRun } from "./adapter/shield-run.ts";
export { type ChunkReader, type ChunkText, watchChunks } from "./adapter/watch-chunks.ts";
export { type RequestReader, watchRequest } from "./adapter/watch-request.ts";
export { CLOSING_TEXT, NUDGE_TAG, SEAL_TEXT, wrapEnvelope } from "./run/agent-texts.ts";
export { printOnce, printWarning } from "./run/development-mode.ts";
export { type FinishReason, normalizeFinishReason } from "./run/finish-reason.ts";
export { assertObject } from "./run/run-options.ts";
export { systemClock } from "./run/system-clock.ts";

// Events, graphs and views, as packages read them.
export { type BlindSpan, blindSpan, blindText, blindTimes } from "./events/blind-span.ts";
export { isReason } from "./events/reason-codes.ts";
export { isDerivedType } from "./events/run-event.ts";
export { isDoneTodo } from "./events/todo-status.ts";
export { edgesFrom, phaseSpec } from "./graph/phase-graph.ts";
export { currentPolicyName } from "./log/policy-names.ts";
export { upgradeEvent } from "./log/upgrade-event.ts";
export { renderGuidance } from "./policies/phase-guidance.ts";
export { remainingBudget } from "./view/run-view.ts";

// Text and values of unknown shape.
export { assertNames, assertNumbers } from "./text/assert-numbers.ts";
export { pushBounded, setBounded } from "./text/bounded.ts";
export { clipText } from "./text/clip.ts";
export { defined, type DefinedMembers } from "./text/defined.ts";
export { hashText } from "./text/hash.ts";
export { normalizeJson } from "./text/json.ts";
export { jsonInText } from "./text/json-in-text.ts";
export { isObject, listIn, type LooseObject, nameIn, numberIn, textIn, toObject } from "./text/loose-object.ts";
export { isMachinePrompt } from "./text/machine-prompt.ts";
export { ownValue } from "./text/own-value.ts";
export { quote } from "./text/quote.ts";
export { tableOf } from "./text/table-of.ts";
export { type ValueCheck, valueChecks } from "./text/value-checks.ts";
export { openPlay, type PlayedEvent, type RunPlay } from "./log/play-run.ts";
