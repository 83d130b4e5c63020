import type { Meaning, ToolResult } from "@phasekit/core";
import type { CodingNotes } from "./coding-notes.ts";
import type { Draft } from "./draft.ts";
import { readResult } from "./exit-code.ts";
import { isScratchFile } from "./file-kind.ts";
import { editedFiles, type ToolInput } from "./tool-input.ts";
import { findWeakenedTests } from "./weakened-tests.ts";

// Editors answer an edit they could not make with a text, and some hosts call that a success.
const NOT_MADE =
  /^(?:\s*<\w+>)?\s*(?:ERROR|Error|error)\b[:\s]|No replacement was performed|String to replace not found|String not found|old_str(?:ing)? .*did not (?:appear|match)|No changes? (?:were )?made|Failed to (?:apply|edit|replace|find)|Could not find (?:the )?(?:exact )?(?:text|string)|has not been read yet/;
const MAX_ANSWER = 600;

/** What an editor's call means: which files, whether it landed, whether it is only for trying something out. */
export function fromEdit(named: Meaning, input: ToolInput, result: ToolResult | undefined): Meaning {
  const files = editedFiles(input, named.targets);
  const targets = named.targets ?? files.map(({ path }) => path);
  const failed = result !== undefined && (result.outcome !== "ok" || NOT_MADE.test(readResult(result).text.slice(0, MAX_ANSWER)));
  const notes: Draft<CodingNotes> = {};
  if (failed) notes.failed = true;
  if (targets.length > 0 && targets.every((file) => isScratchFile(file, { created: files.some(({ path, how }) => how === "added" && path === file) }))) notes.scratch = true;
  const weakens = findWeakenedTests(files);
  if (weakens.length > 0) notes.weakens = weakens;
  const meaning: Draft<Meaning> = { activity: "edit", mutates: !failed };
  if (targets.length > 0) meaning.targets = targets;
  if (failed || notes.scratch === true || notes.weakens !== undefined) meaning.notes = notes;
  return meaning;
}
