export {
  type Archive,
  type ArchiveOptions,
  archiveRun,
  type ArchiveStatus,
  type ResumedRun,
  type ResumeOptions,
  resumeRun,
} from "./archive-run.ts";
export { explainReason, explainRun, whyTool } from "./explain.ts";
export { classifyFailure, type FailureClass, type RetryAdvice } from "./failures/classify-failure.ts";
export { retryDelay, type RetryDelayOptions } from "./failures/retry-delay.ts";
export { archiveOf } from "./open-archives.ts";
export { type PrunableStore, pruneRuns, type PruneOptions } from "./prune-runs.ts";
export type { PhaseRecord } from "./records/phase-record.ts";
export { redactSecrets, type RedactSecretsOptions } from "./redaction/redact-secrets.ts";
export type { SecretPattern } from "./redaction/secret-patterns.ts";
export { readRun, type RunQuery, type RunStore } from "./run-store.ts";
export type { TerminalState } from "./state-of-run.ts";
export { createMemoryStore } from "./stores/memory-store.ts";
export { type RunSummary, type SummarizeOptions, summarizeRun } from "./summarize-run.ts";
export { terminalState, type TerminalReport } from "./terminal-state.ts";
