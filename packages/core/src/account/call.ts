import type { Activity, Meaning } from "../events/meaning.ts";
import type { HostEvent } from "../events/run-event.ts";
import { defined } from "../text/defined.ts";
import { notesOf } from "./coding-notes.ts";

/** The fields of a stored result that tell what the call did. Texts were read once, by the interpreter. */
export type FinishedCall = Pick<HostEvent<"tool.finished">, "tool" | "outcome" | "exitCode" | "meaning">;

/** One file that a call changed. */
export interface CallChange {
  /** The path as in the log. Empty for the whole tree, as after `git stash`. */
  readonly path: string;
  readonly how: "write" | "remove" | "restore" | "stash" | "unstash";
}

/** A check of the work: tests, a build, a linter, a program that was tried out. */
export interface CallCheck {
  readonly kind: "test" | "build" | "types" | "lint" | "run" | "parse" | "hook" | "ci" | "review";
  readonly verdict: "pass" | "fail" | "unknown";
  /** True if an exit code or the host's flag decides, and not the output alone. */
  readonly trusted: boolean;
  /** True if it could not run at all, as a program that is not installed. */
  readonly notStarted?: true;
  /** The part of the command line that hides the exit code, as in `| tail`. */
  readonly hiddenBy?: string;
  readonly runner?: string;
  readonly passed?: number;
  readonly failed?: number;
  /** Kinds of checks that a hook or a CI run is made of, as far as its output shows them. */
  readonly includes?: readonly ("test" | "build" | "types" | "lint")[];
  /**
   * The project as a whole, or files and folders as the command line, the code or the output names them. A module that
   * code imports stands there as a path without an ending.
   */
  readonly reaches: "project" | readonly string[];
}

const NONE: readonly string[] = [];

/**
 * True if a call failed: by the exit code, by what the answer says, or by the host's flag. A call that was denied never
 * ran. Tests that fail are a failed call; a search without a match and the findings of a linter are results.
 */
export function callFailed({ outcome, exitCode, meaning }: Omit<FinishedCall, "tool">): boolean {
  if (outcome === "denied") return false;
  const { failed, shell } = notesOf(meaning);
  if (failed !== undefined) return failed;
  if (outcome === "error" || meaning.tests?.verdict === "fail") return true;
  // The reader of a shell knows what an exit code means; elsewhere it is all there is.
  return shell !== true && (exitCode ?? 0) !== 0;
}

/** True if a call ran and did not fail. */
export function callWorked(call: Omit<FinishedCall, "tool">): boolean {
  return call.outcome !== "denied" && !callFailed(call);
}

/** True if a call has changed files: an edit that landed, alone or as a part of a line. */
export function changeLanded({ outcome, meaning }: Pick<FinishedCall, "outcome" | "meaning">): boolean {
  const { activity, parts, mutates } = meaning;
  if (outcome === "denied" || mutates === false) return false;
  if (activity !== "edit" && parts?.includes("edit") !== true) return false;
  // A line of several commands may have failed at its end: what it wrote before that stands. An editor that tests what
  // it has written has written it, however the tests went.
  return parts !== undefined || !(notesOf(meaning).failed ?? outcome === "error");
}

/** The files a call really changed, in the order of the call. */
export function changesOf(call: Omit<FinishedCall, "tool">): readonly CallChange[] {
  const { removes = NONE, restores, stashes = [] } = notesOf(call.meaning);
  const landed = changeLanded(call) ? editsOf(call.meaning) : NONE;
  const changes = landed.map((path): CallChange => ({ path, how: removes.includes(path) ? "remove" : "write" }));
  if (call.outcome === "denied" || (callFailed(call) && call.meaning.parts === undefined)) return changes;
  const restored = restores?.length === 0 ? [""] : callFailed(call) ? NONE : (restores ?? NONE);
  return [
    ...changes,
    ...restored.map((path): CallChange => ({ path, how: "restore" })),
    ...stashes.map((how): CallChange => ({ path: "", how: how === "push" ? "stash" : "unstash" })),
  ];
}

/** The check a call makes, with its result; `undefined` for a call that tries nothing out. */
export function checkOf(call: Omit<FinishedCall, "tool">): CallCheck | undefined {
  const check = readCheck(call);
  // A check that says nothing and has failed all the same never got as far as checking.
  return check?.verdict === "unknown" && callFailed(call) ? { ...check, notStarted: true } : check;
}

function readCheck(call: Omit<FinishedCall, "tool">): CallCheck | undefined {
  const { outcome, exitCode, meaning } = call;
  if (outcome === "denied") return undefined;
  const { check, reaches, program, exitCode: noted = exitCode } = notesOf(meaning);
  if (meaning.tests !== undefined) {
    const { verdict, trusted = false, hiddenBy, runner, passed, failed } = meaning.tests;
    return {
      kind: check?.kind ?? "test",
      verdict,
      trusted,
      ...defined({ hiddenBy, runner, passed, failed, includes: check?.includes }),
      reaches: reaches ?? "project",
    };
  }
  if (check !== undefined) {
    const { kind = meaning.activity === "build" ? "build" : "lint", verdict, trusted = false, ...rest } = check;
    return { kind, verdict, trusted, ...rest, reaches: reaches ?? "project" };
  }
  const kind = kindOf(meaning, program);
  if (kind === undefined) return undefined;
  const failed = callFailed(call);
  return {
    kind,
    verdict: failed ? "fail" : noted === 0 && kind !== "test" ? "pass" : "unknown",
    trusted: noted !== undefined,
    reaches: reaches ?? (kind === "run" ? (meaning.targets ?? NONE) : "project"),
  };
}

function kindOf(meaning: Meaning, program: true | undefined): "test" | "build" | "lint" | "run" | undefined {
  const does = (activity: Activity): boolean =>
    meaning.activity === activity || meaning.parts?.includes(activity) === true;
  if (does("test")) return "test";
  if (meaning.activity === "build") return "build";
  if (meaning.activity === "lint") return "lint";
  return program === true && does("run") ? "run" : undefined;
}

/** True if a call is a test run, alone or as a part. */
export function isTest({ activity, parts, tests }: Meaning): boolean {
  return tests !== undefined || activity === "test" || parts?.includes("test") === true;
}

/** True if a call tries out the work: tests, a build, a check, or a program. */
export function isCheck(meaning: Meaning): boolean {
  const { check, program } = notesOf(meaning);
  return isTest(meaning) || check !== undefined || kindOf(meaning, program) !== undefined;
}

/** True if an edit in the same line came after it, as in `npm test && sed -i …`: its result is older than the edit. */
export function isBeforeEdit({ parts }: Meaning, ...activities: readonly Activity[]): boolean {
  if (parts === undefined) return false;
  return parts.lastIndexOf("edit") > Math.max(...activities.map((activity) => parts.lastIndexOf(activity)));
}

/** The files a call reads. */
export function readsOf(meaning: Meaning): readonly string[] {
  return notesOf(meaning).reads ?? (meaning.activity === "read" ? (meaning.targets ?? NONE) : NONE);
}

/** The files a call is there to change, whether it did or not. */
export function editsOf(meaning: Meaning): readonly string[] {
  return notesOf(meaning).edits ?? (meaning.activity === "edit" ? (meaning.targets ?? NONE) : NONE);
}

/** The identity of the question a call asks. */
export function aboutCall({ tool = "", meaning }: Pick<FinishedCall, "meaning"> & { readonly tool?: string }): string {
  return meaning.about ?? meaning.fingerprint ?? tool;
}

/** A readable name for a call: the tool and its main argument. Foreign text. */
export function callLabel({ tool, meaning }: Pick<FinishedCall, "tool" | "meaning">): string {
  const about = meaning.about ?? meaning.fingerprint ?? "";
  return about === "" ? [tool, meaning.targets?.[0] ?? ""].join(" ").trim() : labelOf(about);
}

/** The readable part of a call's identity: without the hash at its end. */
export function labelOf(about: string): string {
  const end = about.lastIndexOf(" #");
  return end < 0 ? about : about.slice(0, end).trimEnd();
}
