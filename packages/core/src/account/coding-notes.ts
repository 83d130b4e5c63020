import type { Meaning } from "../events/meaning.ts";

/**
 * Notes of a coding agent's call, in `meaning.notes`: written by the interpreter that read the call, read by policies.
 * A note that says nothing is absent.
 */
export interface CodingNotes {
  /** The call went to a shell. */
  readonly shell?: true;
  /** The exit code, wherever it was found. */
  readonly exitCode?: number;
  /** It ran a program, as against an administrative command. */
  readonly program?: true;
  /** That program was passed as text, as in `python -c`: a reproduction that is written and run in one call. */
  readonly inline?: true;
  /**
   * True if the call failed although its outcome may be "ok": a shell's exit code, an edit that found nothing to
   * replace. False if it worked although its outcome is "error": a search without a match, findings of a linter, an
   * edit that says that it was made. Absent if the outcome is right.
   */
  readonly failed?: boolean;
  /** Every file it writes is a scratch file: a reproduction, a debug script, something in `/tmp`. */
  readonly scratch?: true;
  /** Every file it writes is a document: people read it, and no program does. */
  readonly documents?: true;
  /** The files a call with several parts reads, and those it changes. */
  readonly reads?: readonly string[];
  readonly edits?: readonly string[];
  /** It only rewrites files by a rule: a formatter, a linter that fixes what it finds. */
  readonly formats?: true;
  /** Of the files it changes, those it takes away. */
  readonly removes?: readonly string[];
  /** Files it puts back to a stored state, as `git checkout` does; empty for the whole tree. */
  readonly restores?: readonly string[];
  /** Changes it puts aside (`push`), as `git stash` does, and those it takes up again (`pop`), in order. */
  readonly stashes?: readonly ("push" | "pop")[];
  /** Only comments were changed: nothing that runs is another. */
  readonly comments?: true;
  /** The result of a check that is not a plain test run: type checker, linter, build, hook, CI. */
  readonly check?: NotedCheck;
  /** Files and folders that a test, a check or a program reaches. A check without this note reaches the project. */
  readonly reaches?: readonly string[];
  /** Output and trusted exit code disagree; the exit code decides. */
  readonly conflict?: string;
  /** The error of a call that failed. */
  readonly error?: NotedError;
  /** Test files it writes whole. */
  readonly addsTests?: readonly string[];
  /** Tests an edit removes, skips or loosens. */
  readonly weakens?: readonly string[];
  /** A hash of the steps of a plan, without their state: equal while only boxes are ticked. */
  readonly plan?: string;
  /** Todos that are not done, when the call wrote a list. */
  readonly openTodos?: number;
}

/** A check as its reader noted it. The result of tests is in `meaning.tests`. */
export interface NotedCheck {
  /** Absent in logs of earlier versions: a build or a linter, as the activity says. */
  readonly kind?: "test" | "build" | "types" | "lint" | "parse" | "hook" | "ci" | "review";
  readonly verdict: "pass" | "fail" | "unknown";
  readonly runner?: string;
  readonly passed?: number;
  readonly failed?: number;
  /** True if an exit code or the host's own flag decides. */
  readonly trusted?: boolean;
  /** The part of the command line that hides the exit code, as in `| tail`. */
  readonly hiddenBy?: string;
  /** Kinds of checks that a hook or a CI run is made of, as far as its output shows them. */
  readonly includes?: readonly ("test" | "build" | "types" | "lint")[];
}

/** An error, as its reader noted it. Foreign text. */
export interface NotedError {
  /** The line that says most. */
  readonly line: string;
  /**
   * The obstacle: the old text of an edit is not there, a program or module is not installed, a path does not exist, a
   * filter finds nothing, something waits for input, a sentence went to a shell, an edit, its quotes or the call itself
   * is not well formed, or the machine does not allow it.
   */
  readonly cause?:
    | "prose"
    | "syntax"
    | "quoting"
    | "format"
    | "old-text"
    | "ambiguous"
    | "same-text"
    | "program"
    | "module"
    | "path"
    | "filter"
    | "input"
    | "read-only"
    | "disk"
    | "network"
    | "permission";
  /** The program, the module or the path it is about. */
  readonly subject?: string;
  /** Files of the project in a traceback. */
  readonly files?: readonly string[];
}

/** Returns the notes of a meaning. They are empty if no interpreter of coding calls wrote them. */
export function notesOf({ notes }: Meaning): CodingNotes {
  // Stored as JSON; a foreign shape only lacks these members.
  return typeof notes === "object" && notes !== null && !Array.isArray(notes) ? notes : NONE;
}

const NONE: CodingNotes = {};
