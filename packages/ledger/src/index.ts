export { type Archive, type ArchiveOptions, archiveRun, type ArchiveStatus, type ResumedRun, resumeRun } from "./archive-run.ts";
export { checkAppend } from "./check-append.ts";
export { explainReason, explainRun, whyTool } from "./explain.ts";
export { classifyFailure, type FailureClass, quotaReason, type RetryAdvice, upstreamReason } from "./failures/classify-failure.ts";
export type { FailureReport } from "./failures/check-failure-report.ts";
export {
  type FailureKind,
  failureKinds,
  type FailureScope,
  failureScopes,
  failureSignature,
  widenScope,
  type WidenOptions,
} from "./failures/failure-report.ts";
export { DEFAULT_TRIES, retryDelay, type RetryDelayOptions } from "./failures/retry-delay.ts";
export { pruneRuns, type PruneOptions } from "./prune-runs.ts";
export { redactSecrets, type RedactSecretsOptions } from "./redaction/redact-secrets.ts";
export type { SecretPattern } from "./redaction/secret-patterns.ts";
export type { PhaseRecord } from "./records/phase-record.ts";
export { applyRunQuery, readRun, type RunQuery, type RunStore } from "./run-store.ts";
export type { TerminalState } from "./state-of-run.ts";
export { createMemoryStore } from "./stores/memory-store.ts";
export { createSummary, type RunSummary, type SummarizeOptions, summarizeRun } from "./summarize-run.ts";
export { failureOf, type ItemStatus, itemsState, terminalState, type TerminalReport } from "./terminal-state.ts";
