import type { Meaning, TestMeaning, ToolResult } from "@phasekit/core";
import { withoutEcho } from "../agents/auto-gpt.ts";
import type { CodingNotes } from "@phasekit/core/account";
import type { Draft } from "../draft.ts";
import { textOf } from "../answers/exit-code.ts";
import { isScratchFile, isTestFile } from "@phasekit/core/account";
import { readTestOutput } from "../tests/read-test-output.ts";
import { saysFailed } from "../answers/read-failure.ts";
import { editedFiles, type ToolInput } from "../calls/tool-input.ts";
import { findWeakenedTests } from "./weakened-tests.ts";
import { areDocuments } from "./are-documents.ts";

/** Editors answer an edit they could not make with a text, and some hosts call that a success. */
const ERROR = /^(?:\s*<\w+>)?\s*(?:ERROR|Error|error)\b[:\s]/;
const NOT_MADE = new RegExp(
  [
    "No replacement was performed",
    "String (?:to replace )?not found",
    "old_str(?:ing)? .*did not (?:appear|match)",
    "No changes? (?:were )?made",
    "(?:Failed to|Unable to|Could not) (?:apply|edit|replace|find|locate)",
    "has not been read yet",
    "^\\s*(?:Your|The) (?:\\w+ )?(?:edit|fix|patch|change)\\b[^.]*(?: not | is empty)",
  ].join("|"),
);
const MAX_ANSWER = 600;

/** An editor that has made the edit says so, whatever flag comes with it. */
const MADE =
  /^(?:The |Successfully |File )?(?:file )?.{0,300}\b(?:has been (?:edited|updated|created|modified|written)|(?:was )?(?:updated|edited|created|modified) successfully)\b/;

/** True if the answer of an editor says that it left the file as it was. */
function isNotMade(answer: string): boolean {
  const text = answer.slice(0, MAX_ANSWER);
  return ERROR.test(text) || NOT_MADE.test(text);
}

// Editors that try out what they have written say so before they say how it went; a line of the file they show is no
// such word.
const MAX_HEAD = 240;
const TESTED = /^(?![ \t]*\d+[ \t:|→]|[+-]).*\b(?:ran|[Rr]e?running|[Rr]unning) (?:the |all )?(?:unit )?tests?\b/m;

/** How the tests went that an editor ran itself; `undefined` when it ran none, or does not tell. */
function testsOf(answer: string): TestMeaning | undefined {
  const head = answer.slice(0, MAX_HEAD);
  const at = head.includes(" test") ? head.search(TESTED) : -1;
  if (at === -1) return undefined;
  const tests = readTestOutput({ output: answer.slice(at), trusted: false });
  return tests.verdict === "unknown" ? undefined : tests;
}

/** The meaning of an editor's call: which files, whether it landed, whether it is only for trying something out. */
export function fromEdit(named: Meaning, input: ToolInput, result: ToolResult | undefined): Meaning {
  const files = editedFiles(input, named.targets);
  const targets = named.targets ?? files.map(({ path }) => path);
  const answer = result === undefined ? "" : withoutEcho(textOf(result));
  const said = result !== undefined && result.outcome === "error" && MADE.test(answer.slice(0, MAX_ANSWER));
  const failed = result !== undefined && !said && (result.outcome !== "ok" || isNotMade(answer) || saysFailed(result));
  const scratch =
    targets.length > 0 &&
    targets.every((file) =>
      isScratchFile(file, { created: files.some(({ path, how }) => how === "added" && path === file) }),
    );
  const weakens = findWeakenedTests(files);
  const addsTests = files.flatMap(({ path, how }) => (how === "added" && isTestFile(path) ? path : []));
  const meaning: Draft<Meaning> = { activity: "edit", mutates: !failed };
  if (targets.length > 0) meaning.targets = targets;
  const tests = failed ? undefined : testsOf(answer);
  if (tests !== undefined) meaning.tests = tests;
  const documents = areDocuments(targets);
  const removes = files.flatMap(({ path, how }) => (how === "deleted" ? path : []));
  if (failed || said || scratch || documents || weakens.length > 0 || addsTests.length > 0 || removes.length > 0) {
    const notes: Draft<CodingNotes> = {};
    if (failed) notes.failed = true;
    else if (said) notes.failed = false;
    if (removes.length > 0) notes.removes = removes;
    if (scratch) notes.scratch = true;
    if (documents) notes.documents = true;
    if (weakens.length > 0) notes.weakens = weakens;
    if (addsTests.length > 0) notes.addsTests = addsTests;
    meaning.notes = notes;
  }
  return meaning;
}
