import { REJECTED } from "../agents/claude-code.ts";
import { MISSING_PROGRAM } from "./missing-program.ts";

/** Exit codes of a program that is not executable or not found, or that `timeout`, an interrupt or `kill` ended. */
const STOPPED = new Set([124, 126, 127, 130, 137, 143]);

/** Ways to say that there is nothing of that name to run, besides a missing program. */
const NOTHING_TO_RUN = [
  "[Mm]issing script",
  "Could not read package\\.json",
  "ERR_PNPM_(?:NO_SCRIPT|RECURSIVE_EXEC_FIRST_FAIL)",
  "(?:un(?:recogni[sz]ed|known)|no such|not a valid) (?:sub)?command",
  "(?:Unsupported|UNSUPPORTED|incompatible)[ _](?:environment|engine|ENGINE|with)",
  "Cannot find module 'node:",
].join("|");
const NOTHING = new RegExp(NOTHING_TO_RUN);

/** Ways to say that a program was called wrongly, or lacks what it needs to run. */
const NEVER_STARTED = new RegExp(
  [
    NOTHING_TO_RUN,
    "No such file or directory",
    "No module named (?:pytest|nose|tox|unittest)",
    "syntax error near unexpected token",
    "^ERROR: (?:file or directory )?not found: ",
    "[Cc]ommand timed out",
    "timed out after",
    "Cannot connect to the Docker daemon",
    REJECTED,
  ].join("|"),
  "m",
);

/** Answers up to this length may say nothing but that. In a longer one the words may be those of a program. */
const SHORT = 4096;

/** True if the answer of a command that failed says that there is nothing of that name to run. */
export function isNothingToRun(text: string): boolean {
  return text.length <= SHORT && NOTHING.test(text);
}

/** True if the answer of a program, or its exit code, says that it never started or was stopped from outside. */
export function isNeverStarted(text: string, exitCode: number | undefined): boolean {
  return (
    STOPPED.has(exitCode ?? 0) ||
    (text.length <= SHORT && (NEVER_STARTED.test(text) || MISSING_PROGRAM.some((says) => says.test(text))))
  );
}
