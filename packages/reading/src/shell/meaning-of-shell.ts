import type { Meaning, ToolResult } from "@phasekit/core";
import { isEditRefused, withOpenFile } from "../agents/swe-agent.ts";
import type { CodingNotes } from "@phasekit/core/kit";
import type { Draft } from "../draft.ts";
import { printedStatus, readResult, type ResultText } from "../answers/exit-code.ts";
import { isDocumentFile } from "../edits/document-file.ts";
import { isScratchFile, isTestFile } from "../edits/file-kind.ts";
import type { ShellReading } from "./read-shell.ts";
import { readTestOutput } from "../tests/read-test-output.ts";

/** Activities that change nothing. */
export const LOOKING: ReadonlySet<string> = new Set(["read", "search", "vcs-read", "wait"]);

/** The meaning of a command line, with its result when there is one. */
export function fromShell(reading: ShellReading, result: ToolResult | undefined): Meaning {
  const { activity, parts } = reading;
  const several = parts.length > 1;
  const read = result === undefined ? undefined : outcomeOf(reading, result);
  const targets = activity === "edit" ? withOpenFile(reading.targets, read?.text ?? "") : reading.targets;
  const edits = activity === "edit" ? withOpenFile(reading.edits, read?.text ?? "") : reading.edits;
  const meaning: Draft<Meaning> = { activity };
  const notes: Draft<CodingNotes> = { shell: true };
  if (several) meaning.parts = parts;
  if (targets.length > 0) meaning.targets = targets;
  if (reading.mutates) meaning.mutates = read?.failed !== true || several;
  else if (LOOKING.has(activity)) meaning.mutates = false;
  if (reading.program && (read === undefined || !isMissing(read))) {
    notes.program = true;
    if (reading.inline) notes.inline = true;
  }
  if (several && reading.reads.length > 0) notes.reads = reading.reads;
  if (edits.length > 0) {
    if (several) notes.edits = edits;
    if (edits.every((file) => isScratchFile(file, { created: reading.creates.includes(file) }))) notes.scratch = true;
    if (edits.every(isDocumentFile)) notes.documents = true;
    const deleted = reading.deletes.filter(isTestFile);
    if (deleted.length > 0) notes.weakens = deleted.map((file) => `${file}: deleted`);
  }
  if (reading.restores !== undefined && read?.failed !== true) notes.restores = reading.restores;
  if (read?.exitCode !== undefined) notes.exitCode = read.exitCode;
  if (read?.failed === true) notes.failed = true;
  if (reading.check !== undefined && read !== undefined && result !== undefined && result.outcome !== "denied")
    addCheck(meaning, notes, { check: reading.check, read, erred: result.outcome === "error" });
  meaning.notes = notes;
  return meaning;
}

/** True if the one line an answer has says that there is no such program. Nothing was tried out then. */
function isMissing({ text, exitCode }: ResultText): boolean {
  return exitCode === 127 || (text.length <= MAX_COMPLAINT && /command not found\s*$/.test(text));
}

const MAX_COMPLAINT = 300;

function outcomeOf({ activity, printsStatus }: ShellReading, result: ToolResult): ResultText {
  const { text, exitCode: found, failed: said } = readResult(result);
  const exitCode = printsStatus ? printedStatus(text) : found;
  // grep and diff say "nothing found" and "they differ" with 1: an answer, not a failure.
  const answer = exitCode === 1 && LOOKING.has(activity);
  const failed =
    exitCode === undefined ? said || result.outcome === "error" : exitCode !== 0 && exitCode !== -1 && !answer;
  return { text, exitCode, failed: failed || (activity === "edit" && isEditRefused(text)) };
}

interface CheckResult {
  readonly check: NonNullable<ShellReading["check"]>;
  readonly read: ResultText;
  readonly erred: boolean;
}

/** How a test run or a check went. */
function addCheck(meaning: Draft<Meaning>, notes: Draft<CodingNotes>, { check, read, erred }: CheckResult): void {
  const { text, exitCode, failed } = read;
  const { conflict, ...tests } = readTestOutput({
    output: text,
    kind: check.kind === "test" ? "test" : "check",
    runner: check.runner,
    exitCode,
    trusted: check.trusted,
    failed: erred || (exitCode === undefined && failed),
  });
  if (conflict !== undefined) notes.conflict = conflict;
  if (check.kind === "test")
    meaning.tests = check.hiddenBy === undefined ? tests : { ...tests, hiddenBy: check.hiddenBy };
  else
    notes.check = {
      verdict: tests.verdict,
      ...(tests.runner !== undefined && { runner: tests.runner }),
      ...(tests.failed !== undefined && { failed: tests.failed }),
    };
}
