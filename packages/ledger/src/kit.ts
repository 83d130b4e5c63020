export { assertAppend } from "./assert-append.ts";
export { encodeEvent } from "./encode-event.ts";
export { quotaReason, reasonOfFailure, upstreamReason } from "./failures/classify-failure.ts";
export { failureKindOf } from "./failures/failure-kind.ts";
export { createLoopFold, isLoopKind, type Loop, type LoopFold, loopsOf } from "./loops/loop-fold.ts";
export { flushArchives } from "./open-archives.ts";
export { applyRunQuery, assertRunQuery } from "./run-store.ts";
export { createSummary } from "./summarize-run.ts";
export { type ItemOutcome, itemsState } from "./terminal-state.ts";
