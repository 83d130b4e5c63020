import type { Meaning, ToolResult } from "@phasekit/core";
import type { CodingNotes } from "./coding-notes.ts";
import type { Draft } from "./draft.ts";
import { textOf } from "./exit-code.ts";
import { isScratchFile } from "./file-kind.ts";
import { editedFiles, type ToolInput } from "./tool-input.ts";
import { findWeakenedTests } from "./weakened-tests.ts";

// Editors answer an edit they could not make with a text, and some hosts call that a success.
const ERROR = /^(?:\s*<\w+>)?\s*(?:ERROR|Error|error)\b[:\s]/;
const NOT_MADE =
  /No replacement was performed|String to replace not found|String not found|old_str(?:ing)? .*did not (?:appear|match)|No changes? (?:were )?made|Failed to (?:apply|edit|replace|find)|Could not find (?:the )?(?:exact )?(?:text|string)|has not been read yet/;
const MAX_ANSWER = 600;

/** Whether the answer of an editor says that it left the file as it was. */
function isNotMade(answer: string): boolean {
  const text = answer.length > MAX_ANSWER ? answer.slice(0, MAX_ANSWER) : answer;
  // Each of them has one of these words, and most answers have none.
  return ERROR.test(text) || ((text.includes("not ") || text.includes("No ") || text.includes("Failed to ")) && NOT_MADE.test(text));
}

/** What an editor's call means: which files, whether it landed, whether it is only for trying something out. */
export function fromEdit(named: Meaning, input: ToolInput, result: ToolResult | undefined): Meaning {
  const files = editedFiles(input, named.targets);
  const targets = named.targets ?? files.map(({ path }) => path);
  const failed = result !== undefined && (result.outcome !== "ok" || isNotMade(textOf(result)));
  const scratch = targets.length > 0 && targets.every((file) => isScratchFile(file, { created: files.some(({ path, how }) => how === "added" && path === file) }));
  const weakens = findWeakenedTests(files);
  const meaning: Draft<Meaning> = { activity: "edit", mutates: !failed };
  if (targets.length > 0) meaning.targets = targets;
  if (failed || scratch || weakens.length > 0) {
    const notes: Draft<CodingNotes> = {};
    if (failed) notes.failed = true;
    if (scratch) notes.scratch = true;
    if (weakens.length > 0) notes.weakens = weakens;
    meaning.notes = notes;
  }
  return meaning;
}
