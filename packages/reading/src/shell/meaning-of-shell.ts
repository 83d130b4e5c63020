import type { Meaning, ToolResult } from "@phasekit/core";
import { isEditRefused, withOpenFile } from "../agents/swe-agent.ts";
import { type CodingNotes, isScratchFile, isTestFile } from "@phasekit/core/account";
import type { Draft } from "../draft.ts";
import { printedStatus, readResult, type ResultText } from "../answers/exit-code.ts";
import { isNeverStarted, isNothingToRun } from "../answers/never-started.ts";
import { isPendingList, readCi } from "../checks/read-ci.ts";
import { isSilent, readFindings, type Verdict } from "../checks/read-findings.ts";
import { readHook } from "../checks/read-hook.ts";
import { readTestOutput } from "../tests/read-test-output.ts";
import type { ToldStatus } from "./parse-shell.ts";
import type { ShellCheck, ShellReading } from "./read-shell.ts";
import { areDocuments } from "../edits/are-documents.ts";
import { defined } from "@phasekit/core/adapter";

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
  // Nothing was tried out if there was nothing to run.
  if (reading.program && !(read !== undefined && (isMissing(read) || (read.failed && isNothingToRun(read.text))))) {
    notes.program = true;
    if (reading.inline) notes.inline = true;
  }
  if (several && reading.reads.length > 0) notes.reads = reading.reads;
  if (reading.formats) notes.formats = true;
  if (reading.tidies) notes.scratch = true;
  if (edits.length > 0) {
    if (several) notes.edits = edits;
    if (edits.every((file) => isScratchFile(file, { created: reading.creates.includes(file) }))) notes.scratch = true;
    if (areDocuments(edits)) notes.documents = true;
    if (reading.deletes.length > 0) notes.removes = reading.deletes;
    const added = reading.creates.filter(isTestFile);
    if (added.length > 0) notes.addsTests = added;
  }
  if (reading.stashes.length > 0) notes.stashes = reading.stashes;
  if (reading.restores !== undefined && read?.failed !== true) notes.restores = reading.restores;
  if (read?.exitCode !== undefined) notes.exitCode = read.exitCode;
  if (read?.failed === true) notes.failed = true;
  else if (result?.outcome === "error") notes.failed = false;
  if (read !== undefined && result !== undefined && result.outcome !== "denied")
    addChecks(meaning, notes, { reading, read, erred: result.outcome === "error" });
  meaning.notes = notes;
  return meaning;
}

/** True if the one line an answer has says that there is no such program. */
function isMissing({ text, exitCode }: Pick<ResultText, "text" | "exitCode">): boolean {
  return exitCode === 127 || (text.length <= MAX_COMPLAINT && /command not found\s*$/.test(text));
}

const MAX_COMPLAINT = 300;

/** True if a look could not be made: there is no such file, no such place, no right to see it. */
function complains(text: string): boolean {
  return text.length <= MAX_COMPLAINT && COMPLAINT.test(text);
}

const COMPLAINT =
  /No such file or directory|cannot (?:access|open|stat|find)|Permission denied|^fatal: |not found\s*$/m;

function outcomeOf({ activity, printsStatus }: ShellReading, result: ToolResult): ResultText {
  const { text, exitCode: found, failed: said } = readResult(result);
  const exitCode = printsStatus ? printedStatus(text) : found;
  // grep and diff say "nothing found" and "they differ" with 1: an answer, not a failure.
  const answer = exitCode === 1 && LOOKING.has(activity) && !complains(text);
  const failed =
    exitCode === undefined
      ? said || result.outcome === "error" || isMissing({ text, exitCode })
      : exitCode !== 0 && exitCode !== -1 && !answer;
  return { text, exitCode, failed: failed || (activity === "edit" && isEditRefused(text)) };
}

interface CheckedLine {
  readonly reading: ShellReading;
  readonly read: ResultText;
  readonly erred: boolean;
}

/** Adds how a test run, a check, a hook or CI went, and what it reached. */
function addChecks(meaning: Draft<Meaning>, notes: Draft<CodingNotes>, line: CheckedLine): void {
  const { check, hooks, ci, reaches } = line.reading;
  if (ci !== undefined) addCi(meaning, notes, line);
  else if (check !== undefined) {
    addCheck(meaning, notes, { check, ...line });
    // Files that were put right are checked all the same.
    if (line.reading.formats) meaning.effect = "check";
  } else if (hooks !== undefined) addHook(meaning, notes, line);
  if ((meaning.tests !== undefined || notes.check !== undefined || notes.program === true) && reaches !== "project") {
    const named = notes.program === true ? withNamedFiles(reaches, line.read.text) : reaches;
    if (named.length > 0 || (meaning.tests === undefined && notes.check === undefined)) notes.reaches = named;
  }
}

/** How a test run or a check went. */
function addCheck(
  meaning: Draft<Meaning>,
  notes: Draft<CodingNotes>,
  { check, reading, read, erred }: CheckedLine & { readonly check: ShellCheck },
): void {
  const { text, failed } = read;
  const told = check.told === undefined ? undefined : toldStatus(text, check.told);
  const exitCode = told ?? read.exitCode;
  const trusted = check.trusted || told !== undefined;
  const { conflict, ...tests } = readTestOutput({
    output: text,
    kind: check.kind === "test" ? "test" : "check",
    runner: check.runner,
    exitCode,
    trusted,
    failed: erred || (exitCode === undefined && failed),
  });
  if (conflict !== undefined) notes.conflict = conflict;
  const hiddenBy = trusted ? undefined : check.hiddenBy;
  if (check.kind === "test") {
    meaning.tests = hiddenBy === undefined ? tests : { ...tests, hiddenBy };
    return;
  }
  const { runner, failed: count } = tests;
  const verdict = verdictOf(
    check,
    reading.echoes.length > 0 ? withoutLines(text, reading.echoes) : text,
    tests.verdict,
  );
  // What a linter or a type checker finds is its result.
  if (notes.failed === true && check.kind === "lint" && verdict === "fail" && isFinding(exitCode, text))
    notes.failed = false;
  notes.check = {
    kind: check.what ?? check.kind,
    verdict,
    ...defined({ runner, failed: count, trusted: tests.trusted === true, hiddenBy }),
  };
}

/** The verdict of a check that is no test: its exit code decides, else its words. */
function verdictOf(check: ShellCheck, text: string, verdict: Verdict): Verdict {
  // `gofmt -l` prints what is wrong and ends with 0.
  if (check.prints === true) return verdict === "fail" || !isSilent(text) ? "fail" : verdict;
  if (check.what === "parse" && verdict === "pass") return PARSE_ERROR.test(text) ? "fail" : verdict;
  if (verdict !== "unknown" || isNeverStarted(text, undefined)) return verdict;
  return readFindings(text, { silent: PASSES_ON.test(check.hiddenBy ?? "") });
}

/** True if a linter ended because of what it found: not with a code of its own trouble, and not without a word. */
function isFinding(exitCode: number | undefined, text: string): boolean {
  if (isSilent(text) || isNeverStarted(text, exitCode)) return false;
  return exitCode === undefined || exitCode === 1 || readFindings(text, { silent: false }) === "fail";
}

/** Parsers that are asked for their errors and end with 0 all the same. */
const PARSE_ERROR = /\berrors?: [1-9]|\bParserError\b|\bchar:\d+/i;

/** Behind these a check that prints nothing has found nothing. */
const PASSES_ON = /^(?:\| (?:tail|head|cat|tee|less|more)|\|\| (?:true|:|echo)|; (?:echo|cat))$/;

/** A text without the lines that the command line prints itself. */
function withoutLines(text: string, lines: readonly string[]): string {
  return text.length > MAX_TOLD
    ? text
    : text
        .split("\n")
        .filter((line) => !lines.includes(line.trim()))
        .join("\n");
}

/** The status a line tells by its own words: `make && echo fine || echo broken`. */
function toldStatus(text: string, { ok, bad }: ToldStatus): number | undefined {
  const lines = text.slice(-MAX_TOLD).split("\n");
  const says = (words: string | undefined): boolean =>
    words !== undefined && lines.some((line) => line.trim() === words);
  if (says(ok) !== says(bad)) return says(ok) ? 0 : 1;
  // Nothing was said, and only a failure would have been.
  return ok === undefined && bad !== undefined && !says(bad) && text.length <= MAX_TOLD ? 0 : undefined;
}

const MAX_TOLD = 4096;

/** A commit or a push whose hooks check the work. */
function addHook(meaning: Draft<Meaning>, notes: Draft<CodingNotes>, { reading, read }: CheckedLine): void {
  const found = readHook(read.text, reading.hooks?.trusted === true ? read.exitCode : undefined);
  if (found === undefined) return;
  const verdict = found.passed === undefined ? "unknown" : found.passed ? "pass" : "fail";
  if (found.tests !== undefined) meaning.tests = { verdict, trusted: true, ...found.tests };
  meaning.effect = "check";
  notes.check = { kind: "hook", verdict, trusted: true, includes: found.includes };
}

/** CI that is watched: waiting while it runs, a check once its result shows. */
function addCi(meaning: Draft<Meaning>, notes: Draft<CodingNotes>, { reading, read }: CheckedLine): void {
  const { ci } = reading;
  if (ci === undefined || meaning.activity === "vcs-write") return;
  if (ci.how === "list") {
    if (isPendingList(read.text)) meaning.activity = "wait";
    return;
  }
  const state = ci.how === "start" ? "unknown" : readCi(read.text, ci.trusted ? read.exitCode : undefined);
  if (state === "pending") meaning.activity = "wait";
  else if (state !== "unknown" || ci.how === "start") {
    meaning.activity = "test";
    meaning.tests = { verdict: state, trusted: ci.how === "watch", runner: "ci" };
    notes.check = { kind: "ci", verdict: state, trusted: ci.how === "watch" };
  }
}

const MAX_NAMED = 16;
const MAX_TEXT = 16_384;

/** The files a program reached: those its command line names, and those a traceback or an error shows. */
function withNamedFiles(reaches: readonly string[], text: string): readonly string[] {
  const shown = text.length > MAX_TEXT ? text.slice(-MAX_TEXT) : text;
  if (!TRACE.test(shown)) return reaches;
  const found = new Set(reaches);
  for (const [, python, other] of shown.matchAll(TRACED)) {
    if (found.size >= MAX_NAMED) break;
    const file = python ?? other ?? "";
    if (file !== "" && !file.startsWith("<") && !file.startsWith("node:")) found.add(file);
  }
  return [...found];
}

const TRACE = /^ *(?:File "|at )/m;
const TRACED =
  /^ *File "([^"\n]{1,300})", line \d+|^ *at (?:[^\n(]{0,200}\()?(?:file:\/\/)?([^\s():]{1,300}\.\w{1,5}):\d+/gm;
