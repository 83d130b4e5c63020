export { type CheckedFailure, checkFailureReport } from "./failures/check-failure-report.ts";
export { parsePhaseRecord, phaseRecordJsonSchema, phaseRecordSchema } from "./records/phase-record.ts";
