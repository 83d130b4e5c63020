import type { Meaning, ToolResult } from "@phasekit/core";
import type { CodingNotes } from "./coding-notes.ts";
import type { Draft } from "./draft.ts";
import { printedStatus, readResult, type ResultText } from "./exit-code.ts";
import { isScratchFile, isTestFile } from "./file-kind.ts";
import type { ShellReading } from "./shell/read-shell.ts";
import { readTestOutput } from "./test-output/read-test-output.ts";

/** Activities that change nothing. */
export const LOOKING: ReadonlySet<string> = new Set(["read", "search", "vcs-read", "wait"]);

/** What a command line means, with its result when there is one. */
export function fromShell(reading: ShellReading, result: ToolResult | undefined): Meaning {
  const { activity, parts } = reading;
  const several = parts.length > 1;
  const read = result === undefined ? undefined : outcomeOf(reading, result);
  const targets = activity === "edit" ? withOpenFile(reading.targets, read) : reading.targets;
  const edits = activity === "edit" ? withOpenFile(reading.edits, read) : reading.edits;
  const meaning: Draft<Meaning> = { activity };
  const notes: Draft<CodingNotes> = { shell: true };
  if (several) meaning.parts = parts;
  if (targets.length > 0) meaning.targets = targets;
  if (reading.mutates) meaning.mutates = read?.failed !== true || several;
  else if (LOOKING.has(activity)) meaning.mutates = false;
  if (reading.program) notes.program = true;
  if (reading.inline) notes.inline = true;
  if (several && reading.reads.length > 0) notes.reads = reading.reads;
  if (edits.length > 0) {
    if (several) notes.edits = edits;
    if (edits.every((file) => isScratchFile(file, { created: reading.creates.includes(file) }))) notes.scratch = true;
    const deleted = reading.deletes.filter(isTestFile);
    if (deleted.length > 0) notes.weakens = deleted.map((file) => `${file}: deleted`);
  }
  if (read?.exitCode !== undefined) notes.exitCode = read.exitCode;
  if (read?.failed === true) notes.failed = true;
  if (reading.check !== undefined && read !== undefined && result !== undefined && result.outcome !== "denied") addCheck(meaning, notes, { check: reading.check, read, erred: result.outcome === "error" });
  meaning.notes = notes;
  return meaning;
}

const LINES = /^\d+:\d+$/;

/** SWE-agent's `edit 10:12` names lines of the file that is open; which one that is stands in the answer. */
function withOpenFile(files: readonly string[], read: ResultText | undefined): readonly string[] {
  if (!LINES.test(files[0] ?? "")) return files;
  const open = /^\[File: (.+?) \(\d+ lines total\)\]/m.exec(read?.text ?? "")?.[1];
  return open === undefined ? files.slice(1) : [open, ...files.slice(1)];
}

// How SWE-agent's editor, a command of its shell, says that it left the file as it was.
const NOT_APPLIED = /^\s*Your (?:proposed )?edit (?:has introduced|was not)|changes have NOT been applied/;
const MAX_ANSWER = 400;

function outcomeOf({ activity, printsStatus }: ShellReading, result: ToolResult): ResultText {
  const { text, exitCode: told, failed: said } = readResult(result);
  const exitCode = printsStatus ? printedStatus(text) : told;
  // grep and diff say "nothing found" and "they differ" with 1: an answer, not a failure.
  const answer = exitCode === 1 && LOOKING.has(activity);
  const failed = exitCode === undefined ? said || result.outcome === "error" : exitCode !== 0 && exitCode !== -1 && !answer;
  return { text, exitCode, failed: failed || (activity === "edit" && NOT_APPLIED.test(text.slice(0, MAX_ANSWER))) };
}

interface Checked {
  readonly check: NonNullable<ShellReading["check"]>;
  readonly read: ResultText;
  readonly erred: boolean;
}

/** How a test run or a check went. */
function addCheck(meaning: Draft<Meaning>, notes: Draft<CodingNotes>, { check, read, erred }: Checked): void {
  const { text, exitCode, failed } = read;
  const { conflict, ...tests } = readTestOutput({
    output: text, kind: check.kind === "test" ? "test" : "check", runner: check.runner, exitCode, trusted: check.trusted, failed: erred || (exitCode === undefined && failed),
  });
  if (conflict !== undefined) notes.conflict = conflict;
  if (check.kind === "test") meaning.tests = tests;
  else notes.check = { verdict: tests.verdict, ...(tests.runner !== undefined && { runner: tests.runner }), ...(tests.failed !== undefined && { failed: tests.failed }) };
}
