export { explainReason, explainRun, whyTool } from "./story/explain-run.ts";
export { createInterventionFold, type Interventions } from "./story/interventions.ts";
export { isLoopKind, type Loop } from "./story/loop-fold.ts";
export type { ModelUse } from "./story/model-use.ts";
export type { PhaseShare } from "./story/phase-shares.ts";
export { createStory, type RunStory, type StoryOptions, storyOf } from "./story/run-story.ts";
export { type Verification, verdictText, verificationOf } from "./story/verification.ts";
export type { StoryWork } from "./story/work.ts";
export { words } from "./words/words.ts";
