export {
  type Checkpoint,
  checkpointFrom,
  checkpointOf,
  type CheckpointState,
  createCheckpoint,
  foldCheckpoint,
} from "./story/checkpoint.ts";
export { checkpointText, hasCheckpoint } from "./story/checkpoint-text.ts";
export { hideTexts, type HideTextsOptions } from "./redaction/hide-texts.ts";
export { createCallCounter } from "./story/call-counter.ts";
export type { RunEnd, EndNotes, Tone } from "./story/ending.ts";
export { explainReason, explainRun, whyTool } from "./story/explain-run.ts";
export { createInterventionFold, type Interventions } from "./story/interventions.ts";
export type { Loop } from "./story/loop-fold.ts";
export { createModelUseFold, type ModelUse } from "./story/model-use.ts";
export type { PhaseShare } from "./story/phase-shares.ts";
export { createStory, type RunStory, type StoryOptions, storyOf } from "./story/run-story.ts";
export { type Verification, verificationOf } from "./story/verification.ts";
export type { StoryWork } from "./story/work.ts";
export type { KnownCost } from "./words/numbers.ts";
export { words } from "./words/words.ts";
