/** The account of a run: its calls, work, evidence and delivery, each defined once and read everywhere else. */
export { changedBy, workKey } from "./account/child-work.ts";
export { type CodingNotes, notesOf, type NotedCheck, type NotedError } from "./account/coding-notes.ts";
export {
  aboutCall,
  type CallChange,
  type CallCheck,
  callFailed,
  callLabel,
  callWorked,
  changeLanded,
  changesOf,
  checkOf,
  editsOf,
  type FinishedCall,
  isBeforeEdit,
  isCheck,
  isTest,
  labelOf,
  readsOf,
  triesWork,
} from "./account/call.ts";
export { type Checks, createChecks, foldChecks, type SeenCheck } from "./account/checks.ts";
export { createDelivery, type Delivery, foldDelivery } from "./account/delivery.ts";
export { isDocumentFile } from "./account/document-file.ts";
export { checkWords, evidenceText, missingText } from "./account/evidence-words.ts";
export { evidenceAtEnd, findingOf, type GateFinding } from "./account/evidence.ts";
export { type FileKind, isScratchFile, isSourceFile, kindOfFile } from "./account/file-kind.ts";
export { isSamePath } from "./account/project-path.ts";
export { isTestFile } from "./account/test-file.ts";
export {
  createWork,
  foldWork,
  isLostResult,
  isScratchPath,
  lastChange,
  type Work,
  type WorkFile,
} from "./account/work.ts";
export {
  type EvidenceProblem,
  type JudgeOptions,
  judgeWork,
  reachesWork,
  type WorkEvidence,
} from "./account/work-evidence.ts";
export { severityRank } from "./policies/decision.ts";
