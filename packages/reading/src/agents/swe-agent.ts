import type { ProgramTable } from "../programs/program-table.ts";

/** Commands that SWE-agent adds to its shell. */
export const SWE_AGENT_PROGRAMS: ProgramTable = {
  read: "open goto scroll_up scroll_down filemap view",
  search: "search_file search_dir find_file",
  edit: "create edit insert undo_edit",
  finish: "submit exit_forfeit exit_cost exit_context exit_format exit_error",
};

/** The command line of a call: the lines behind `edit 10:12` are text for the file, not commands. */
export function withoutEditText(line: string): string {
  return line.startsWith("edit ") && /^edit \d+:\d+\s*\n/.test(line) ? line.slice(0, line.indexOf("\n")) : line;
}

const LINES = /^\d+:\d+$/;

/** The files of an edit: `edit 10:12` names lines of the open file, and the answer names that file. */
export function withOpenFile(files: readonly string[], answer: string): readonly string[] {
  if (!LINES.test(files[0] ?? "")) return files;
  const open = /^\[File: (.+?) \(\d+ lines total\)\]/m.exec(answer)?.[1];
  return open === undefined ? files.slice(1) : [open, ...files.slice(1)];
}

const NOT_APPLIED = /^\s*Your (?:proposed )?edit (?:has introduced|was not)|changes have NOT been applied/;
const MAX_ANSWER = 400;

/** True if the editor says that it left the file as it was. */
export function isEditRefused(answer: string): boolean {
  return NOT_APPLIED.test(answer.slice(0, MAX_ANSWER));
}
