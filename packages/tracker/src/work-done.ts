import type { EventOf, Meaning } from "@phasekit/core";
import { notesOf } from "./coding-notes.ts";

const NONE: readonly string[] = [];

/** Whether a call is a test run, alone or as a part. */
export function isTest({ activity, parts, tests }: Meaning): boolean {
  return tests !== undefined || activity === "test" || parts?.includes("test") === true;
}

/** Whether a call tries out the work: tests, a build, a check, or a program. */
export function isCheck(meaning: Meaning): boolean {
  const { activity } = meaning;
  if (activity === "build" || activity === "lint" || isTest(meaning)) return true;
  return notesOf(meaning).program === true && (activity === "run" || meaning.parts?.includes("run") === true);
}

/** Whether a call has changed files. */
export function landsEdit({ activity, parts, mutates }: Meaning, outcome: EventOf<"tool.finished">["outcome"]): boolean {
  if (activity !== "edit" && parts?.includes("edit") !== true) return false;
  return outcome !== "denied" && mutates !== false && (outcome === "ok" || parts !== undefined);
}

/** Whether an edit touches nothing but files for trying something out. */
export function isScratch(scratchFiles: ReadonlySet<string>, meaning: Meaning): boolean {
  if (notesOf(meaning).scratch === true) return true;
  if (scratchFiles.size === 0) return false;
  const files = editsOf(meaning);
  return files.length > 0 && files.every((file) => scratchFiles.has(file));
}

/** The files a call reads. */
export function readsOf(meaning: Meaning): readonly string[] {
  return notesOf(meaning).reads ?? (meaning.activity === "read" ? (meaning.targets ?? NONE) : NONE);
}

/** The files a call changes. */
export function editsOf(meaning: Meaning): readonly string[] {
  return notesOf(meaning).edits ?? (meaning.activity === "edit" ? (meaning.targets ?? NONE) : NONE);
}
