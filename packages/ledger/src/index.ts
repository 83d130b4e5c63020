export { assertAppend } from "./assert-append.ts";
export { encodeEvent } from "./encode-event.ts";
export {
  classifyFailure,
  type ClassifyOptions,
  type FailureClass,
  reasonOfFailure,
  type RetryAdvice,
} from "./failures/classify-failure.ts";
export { retryDelay, type RetryDelayOptions } from "./failures/retry-delay.ts";
export { type PrunableStore, pruneRuns, type PruneOptions } from "./prune-runs.ts";
export type { PhaseRecord } from "./records/phase-record.ts";
export { redactSecrets, type RedactSecretsOptions } from "./redaction/redact-secrets.ts";
export type { SecretPattern } from "./redaction/secret-patterns.ts";
export { applyRunQuery, readRun, type RunQuery, type RunStore } from "./run-store.ts";
export type { TerminalState } from "./state-of-run.ts";
export {
  type ResumedRun,
  type ResumeOptions,
  resumeRun,
  type StoredRun,
  type StoredStatus,
  storeRun,
  type StoreRunOptions,
} from "./store-run.ts";
export { storedRunOf } from "./stored-runs.ts";
export { createMemoryStore } from "./stores/memory-store.ts";
export { createSummary, type RunSummary, type SummarizeOptions, summarizeRun } from "./summarize-run.ts";
export { terminalState, type TerminalReport } from "./terminal-state.ts";
