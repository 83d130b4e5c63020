import type { Meaning, ToolResult } from "@phasekit/core";
import type { CodingNotes } from "@phasekit/core/account";
import type { Draft } from "../draft.ts";
import { textOf } from "../answers/exit-code.ts";
import { isScratchFile } from "@phasekit/core/account";
import { LOOKING } from "../shell/meaning-of-shell.ts";
import type { CodeReading } from "./read-code.ts";
import { readTestOutput } from "../tests/read-test-output.ts";
import { areDocuments } from "../edits/are-documents.ts";

/** The meaning of code that ran in a notebook or interpreter of the agent. */
export function fromCode({ activity, targets, creates = false }: CodeReading, result: ToolResult | undefined): Meaning {
  const failed = result?.outcome === "error";
  const meaning: Draft<Meaning> = { activity };
  const notes: Draft<CodingNotes> = {};
  if (targets.length > 0) meaning.targets = targets;
  if (activity === "edit") meaning.mutates = !failed;
  else if (LOOKING.has(activity)) meaning.mutates = false;
  if (activity === "run") {
    notes.program = true;
    notes.inline = true;
  }
  if (activity === "edit" && targets.length > 0 && targets.every((file) => isScratchFile(file, { created: creates })))
    notes.scratch = true;
  if (activity === "edit" && areDocuments(targets)) notes.documents = true;
  if (failed) notes.failed = true;
  if (activity === "test" && result !== undefined && result.outcome !== "denied") {
    // Without an exit code to follow there is no conflict.
    meaning.tests = readTestOutput({ output: textOf(result), trusted: false });
  }
  meaning.notes = notes;
  return meaning;
}
