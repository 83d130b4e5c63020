import type { Meaning } from "./meaning.ts";

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
  /** The call failed, although its outcome may be "ok": a shell's exit code, an edit that found nothing to replace. */
  readonly failed?: true;
  /** Every file it writes is a scratch file: a reproduction, a debug script, something in `/tmp`. */
  readonly scratch?: true;
  /** Every file it writes is a document: people read it, and no program does. */
  readonly documents?: true;
  /** The files a call with several parts reads, and those it changes. */
  readonly reads?: readonly string[];
  readonly edits?: readonly string[];
  /** Files it puts back to a stored state, as `git checkout` does; empty for the whole tree. */
  readonly restores?: readonly string[];
  /** The result of a check that is not a test: type checker, linter, build. */
  readonly check?: {
    readonly verdict: "pass" | "fail" | "unknown";
    readonly runner?: string;
    readonly failed?: number;
  };
  /** Output and trusted exit code disagree; the exit code decides. */
  readonly conflict?: string;
  /** Tests an edit removes, skips or loosens. */
  readonly weakens?: readonly string[];
  /** A hash of the steps of a plan, without their state: equal while only boxes are ticked. */
  readonly plan?: string;
  /** Todos that are not done, when the call wrote a list. */
  readonly openTodos?: number;
}

/** Returns the notes of a meaning. They are empty if no interpreter of coding calls wrote them. */
export function notesOf({ notes }: Meaning): CodingNotes {
  // Stored as JSON; a foreign shape only lacks these members.
  return typeof notes === "object" && notes !== null && !Array.isArray(notes) ? notes : NONE;
}

const NONE: CodingNotes = {};
