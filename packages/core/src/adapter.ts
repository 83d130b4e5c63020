export { answerReview, type Reviewer, type ReviewVerdict } from "./adapter/answer-review.ts";
export { isAbort } from "./is-abort.ts";
export { isOffered, modelForLabel } from "./adapter/phase-wishes.ts";
export { createNudgeAnchors, type NudgeAnchors } from "./adapter/nudge-anchors.ts";
export { quotaFacts } from "./adapter/quota-facts.ts";
export { runFrom, type RunSource } from "./adapter/run-source.ts";
export { shieldRun, type ShieldedRun } from "./adapter/shield-run.ts";
export { systemClock } from "./adapter/system-clock.ts";
export { failureFact, failureToModelFact, resultFact } from "./adapter/result-facts.ts";
