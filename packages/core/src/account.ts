/** The account of a run: its calls, work, evidence and delivery, each defined once and read everywhere else. */
export { type Account, createAccount, foldAccount } from "./account/account.ts";
export { changedBy, workKey } from "./account/child-work.ts";
export { type CodingNotes, notesOf, type NotedCheck, type NotedError } from "./account/coding-notes.ts";
export { type CallAccount, callOf, type KnownCall } from "./account/call-account.ts";
export { type CallChange, type CallCheck, labelOf } from "./account/call.ts";
export type { Checks, SeenCheck } from "./account/checks.ts";
export type { Delivery } from "./account/delivery.ts";
export { evidenceText, missingText } from "./account/evidence-words.ts";
export { evidenceAtEnd, findingOf, type GateFinding } from "./account/evidence.ts";
export { type FileKind, isScratchFile, isSourceFile, kindOfFile } from "./account/file-kind.ts";
export { isSamePath } from "./account/project-path.ts";
export { isTestFile } from "./account/test-file.ts";
export { lastChange, type Work, type WorkFile } from "./account/work.ts";
export { type EvidenceProblem, type JudgeOptions, judgeWork, type WorkEvidence } from "./account/work-evidence.ts";
export { severityRank } from "./policies/decision.ts";
