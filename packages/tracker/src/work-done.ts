import type { Activity, EventOf, Meaning } from "@phasekit/core";
import { notesOf } from "@phasekit/core/kit";

const NONE: readonly string[] = [];

/** True if a call is a test run, alone or as a part. */
export function isTest({ activity, parts, tests }: Meaning): boolean {
  return tests !== undefined || activity === "test" || parts?.includes("test") === true;
}

/** True if a call tries out the work: tests, a build, a check, or a program. */
export function isCheck(meaning: Meaning): boolean {
  const { activity } = meaning;
  if (activity === "build" || activity === "lint" || isTest(meaning)) return true;
  return notesOf(meaning).program === true && (activity === "run" || meaning.parts?.includes("run") === true);
}

/** True if a call tries out the work in any way, whether its result can be read or not. */
export function triesWork(meaning: Meaning): boolean {
  const { activity, parts, effect } = meaning;
  return isCheck(meaning) || effect === "check" || activity === "run" || parts?.includes("run") === true;
}

/** True if an edit in the same line came after it, as in `npm test && sed -i …`: its result is older than the edit. */
export function isBeforeEdit({ parts }: Meaning, ...activities: readonly Activity[]): boolean {
  if (parts === undefined) return false;
  return parts.lastIndexOf("edit") > Math.max(...activities.map((activity) => parts.lastIndexOf(activity)));
}

/** True if a call has changed files. */
export function landsEdit(
  { activity, parts, mutates }: Meaning,
  outcome: EventOf<"tool.finished">["outcome"],
): boolean {
  if (activity !== "edit" && parts?.includes("edit") !== true) return false;
  return outcome !== "denied" && mutates !== false && (outcome === "ok" || parts !== undefined);
}

/** True if an edit touches nothing but files for trying something out. */
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

/** True if the result of a call could not be recorded. A second result of the same call is not lost. */
export function isLostResult({ rejected, issues }: EventOf<"event.rejected">): boolean {
  return rejected === "tool.finished" && issues.some(({ path }) => path !== "call");
}
