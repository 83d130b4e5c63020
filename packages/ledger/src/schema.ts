export { type CheckedFailure, checkFailureReport, type FailureReport } from "./failures/check-failure-report.ts";
export { failureKindOf } from "./failures/failure-kind.ts";
export { type FailureKind, type FailureScope, widenScope, type WidenOptions } from "./failures/failure-report.ts";
export { parsePhaseRecord } from "./records/phase-record.ts";
