import { defined } from "../text/defined.ts";
import { matchesGlob } from "../text/glob.ts";
import type { Account } from "./account.ts";
import type { CallCheck } from "./call.ts";
import type { Checks, SeenCheck } from "./checks.ts";
import type { EvidenceGrade } from "./evidence.ts";
import { isScratchFile } from "./file-kind.ts";
import { isSamePath, plainPath } from "./project-path.ts";
import { isScratchPath, type Work, type WorkFile } from "./work.ts";

/** Why nothing shows that the work is right. */
export type EvidenceProblem =
  /** Nothing checked the work at any time. */
  | "never-run"
  /** The last check was before the last change. */
  | "stale"
  /** The last check of the work failed. */
  | "failed"
  /** The last check of the work shows no result. */
  | "no-result"
  /** The check of the work could not run: its program is not there, or did not start. */
  | "not-started"
  /** A call could not be read, and nothing was checked after it. */
  | "unread"
  /** Something ran after the last change, and it does not reach the work. */
  | "unrelated"
  /** All tests failed after the last change, and only some of them passed later. */
  | "red-suite"
  /** Only a linter or a parser looked at code. */
  | "lint-only";

/** How well the checks after the last change show that the work is right. */
export interface WorkEvidence {
  readonly grade: EvidenceGrade;
  readonly problem?: EvidenceProblem;
  /** The last change that needs a check. */
  readonly change?: WorkFile;
  /** The check that decides; if none does, the last one before the change. */
  readonly check?: SeenCheck;
  /** All tests, when they failed and only some ran again. */
  readonly suite?: SeenCheck;
  /** A file of configuration that was changed after the check. */
  readonly later?: WorkFile;
}

/** Options for `judgeWork()`. */
export interface JudgeOptions {
  /** Documents and data need a check too. @default false */
  readonly documents?: boolean;
}

/** Judges which checks touch the work after its last change. */
export function judgeWork(
  { work, checks }: Readonly<Pick<Account, "work" | "checks">>,
  { documents = false }: JudgeOptions = {},
): WorkEvidence {
  const files = [...work.files.values()];
  const needs = files.filter(({ needsSince }) => documents || needsSince > 0);
  if (needs.length === 0 && work.unread === 0) return { grade: "not-needed" };
  const sinceOf = ({ needsSince, seq }: WorkFile): number => (documents ? seq : needsSince);
  const code = needs.filter(({ kind }) => documents || kind !== "configuration");
  const judged = code.length > 0 ? code : needs;
  const change = newest(judged, sinceOf);
  const seen = Math.max(change === undefined ? 0 : sinceOf(change), needs.length > 0 ? work.takenBackSeq : 0);
  const since = Math.max(seen, work.lastUnreadSeq);
  const found = decide(checks, { work, files: judged, since, isCode: code.length > 0 || work.unread > 0 });
  const later =
    found.check === undefined
      ? undefined
      : newest(
          needs.filter((file) => sinceOf(file) > since),
          sinceOf,
        );
  const isOpen =
    later !== undefined && !checks.seen.some(({ seq, verdict }) => seq >= sinceOf(later) && verdict === "pass");
  const problem = found.problem === "stale" && work.lastUnreadSeq > seen ? "unread" : found.problem;
  return {
    ...found,
    ...(problem !== undefined && {
      problem: work.lastUnreadSeq > seen && problem === "never-run" ? "unread" : problem,
    }),
    ...defined({ change }),
    ...(isOpen && found.grade === "proven" && { grade: "supported", later }),
  };
}

/** True if a check reaches one of these files: by its path, its folder or its module. */
function reachesWork(check: CallCheck, files: readonly WorkFile[], work: Readonly<Work>): boolean {
  const { reaches, kind } = check;
  // A test runner of the project loads what its tests use, whichever of them it runs.
  if (reaches === "project" || kind === "test" || kind === "hook" || kind === "ci") return true;
  return reaches.some(
    (reach) =>
      files.some((file) => isReached(reach, file)) ||
      // A script the agent wrote to try its work out.
      (kind === "run" && (isScratchPath(work, reach) || isScratchFile(plainPath(reach), { created: false }))),
  );
}

function isReached(reach: string, { path }: WorkFile): boolean {
  if (path === "") return true;
  const wanted = plainPath(reach).replace(/\/(?:\.\.\.)?$/, "");
  const file = plainPath(path);
  if (wanted === "" || wanted === "." || wanted === "..." || isSamePath(wanted, file)) return true;
  if (file.startsWith(`${wanted}/`) || file.includes(`/${wanted}/`)) return true;
  if (wanted.includes("*")) return matchesGlob(file, wanted) || matchesGlob(file, `*/${wanted}`);
  // A module stands without its ending.
  return isSamePath(wanted, file.replace(/(?:\/(?:index|__init__|mod))?\.\w+$/, ""));
}

/** How much a check shows: `tests` run the work for somebody who knows the answer, `run` runs it, `form` reads it. */
type Level = "tests" | "run" | "form";

function levelOf({ kind, includes }: SeenCheck, own: ReadonlySet<CallCheck["kind"]>): Level {
  switch (kind) {
    case "test":
    case "ci":
    case "review":
      return "tests";
    case "hook":
      return includes?.includes("test") === true ? "tests" : "form";
    case "run":
      return "run";
    default:
      // What was red before the first change is what the run set out to fix.
      return own.has(kind) ? "tests" : "form";
  }
}

interface Question {
  readonly work: Readonly<Work>;
  readonly files: readonly WorkFile[];
  readonly since: number;
  readonly isCode: boolean;
}

function decide({ seen, redBefore }: Readonly<Checks>, { work, files, since, isCode }: Question): WorkEvidence {
  const after = seen.filter(({ seq }) => seq >= since);
  const touching = after.filter((check) => reachesWork(check, files, work));
  if (!isCode) return decideConfiguration(after);
  const at = (level: Level): readonly SeenCheck[] => touching.filter((check) => levelOf(check, redBefore) === level);
  const tests = at("tests");
  const known = lastKnown(tests);
  if (known !== undefined) {
    if (known.verdict === "fail") return { grade: "claimed", problem: "failed", check: known };
    const suite = seen.findLast((check) => check.verdict !== "unknown" && isWider(check, known));
    const isRed = suite?.verdict === "fail" && !(suite.seq < since && redBefore.has("test") && isFirstRed(suite, work));
    if (isRed && suite.seq >= since) return { grade: "claimed", problem: "red-suite", check: known, suite };
    return { grade: known.trusted && !isRed ? "proven" : "supported", check: known, ...(isRed && { suite }) };
  }
  const run = lastKnown(at("run"));
  if (run?.verdict === "pass") return { grade: "supported", check: run };
  const form = at("form");
  const formal = ["build", "types", "hook", "lint", "parse"]
    .map((kind) => lastKnown(form.filter((check) => check.kind === kind)))
    .find((check) => check?.verdict === "pass");
  if (formal !== undefined && tests.length === 0 && run === undefined) {
    const isThin = formal.kind === "lint" || formal.kind === "parse";
    return { grade: "weak", check: formal, ...(isThin && { problem: "lint-only" }) };
  }
  if (run !== undefined) return { grade: "claimed", problem: "failed", check: run };
  const stuck = touching.at(-1);
  if (stuck?.notStarted === true) return { grade: "claimed", problem: "not-started", check: stuck };
  const silent = tests.at(-1) ?? at("run").at(-1);
  if (silent !== undefined) return { grade: "claimed", problem: "no-result", check: silent };
  const failed = lastKnown(form);
  if (failed !== undefined) return { grade: "claimed", problem: "failed", check: failed };
  const mute = form.at(-1);
  if (mute !== undefined) return { grade: "claimed", problem: "no-result", check: mute };
  const before = seen.findLast((check) => check.seq < since && levelOf(check, redBefore) === "tests");
  if (before !== undefined) return { grade: "claimed", problem: "stale", check: before };
  const other = after.at(-1) ?? seen.at(-1);
  return other === undefined
    ? { grade: "claimed", problem: "never-run" }
    : { grade: "claimed", problem: other.seq >= since ? "unrelated" : "stale", check: other };
}

/** Configuration is shown by anything that reads it: a parser, a linter, a build, the program. */
function decideConfiguration(after: readonly SeenCheck[]): WorkEvidence {
  const known = lastKnown(after);
  if (known === undefined) return { grade: "claimed", problem: after.length > 0 ? "no-result" : "never-run" };
  if (known.verdict === "fail") return { grade: "claimed", problem: "failed", check: known };
  const proves = known.trusted && (known.kind === "test" || known.kind === "ci");
  return { grade: proves ? "proven" : known.kind === "run" ? "weak" : "supported", check: known };
}

/** True if a test run covers all tests, and another one only some of them. */
function isWider(one: SeenCheck, other: SeenCheck): boolean {
  if (one.kind !== "test" || other.kind !== "test" || one.seq >= other.seq) return false;
  if (one.reaches !== "project") return false;
  if (other.reaches !== "project") return true;
  const [all, some] = [countOf(one), countOf(other)];
  return all !== undefined && some !== undefined && some < all;
}

function countOf({ passed, failed }: SeenCheck): number | undefined {
  return passed === undefined && failed === undefined ? undefined : (passed ?? 0) + (failed ?? 0);
}

/** True if a check ran before anything was changed. */
function isFirstRed({ seq }: SeenCheck, { files }: Readonly<Work>): boolean {
  for (const file of files.values()) if (file.seq <= seq) return false;
  return true;
}

function lastKnown(checks: readonly SeenCheck[]): SeenCheck | undefined {
  return checks.findLast(({ verdict }) => verdict !== "unknown");
}

function newest(files: readonly WorkFile[], sinceOf: (file: WorkFile) => number): WorkFile | undefined {
  let last: WorkFile | undefined;
  for (const file of files) if (last === undefined || sinceOf(file) >= sinceOf(last)) last = file;
  return last;
}
