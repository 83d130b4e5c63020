export { type CheckedFailure, checkFailureReport, type FailureReport } from "./failures/check-failure-report.ts";
export {
  type FailureKind,
  failureKinds,
  type FailureScope,
  failureScopes,
  reportSignature,
  widenScope,
  type WidenOptions,
} from "./failures/failure-report.ts";
export { parsePhaseRecord, phaseRecordJsonSchema, phaseRecordSchema } from "./records/phase-record.ts";
