import type { Meaning } from "@phasekit/core";

/** What `codingInterpreter` writes into `meaning.notes`, for the policies of this package and for yours. */
export interface CodingNotes {
  /** The call went to a shell. */
  readonly shell?: true;
  /** The exit code, wherever it was found. */
  readonly exitCode?: number;
  /** It ran a program, as against an administrative command. */
  readonly program?: true;
  /** That program was handed over as text, as in `python -c`: a reproduction that is written and run in one. */
  readonly inline?: true;
  /** The call failed, although its outcome may be "ok": a shell's exit code, an edit that found nothing to replace. */
  readonly failed?: true;
  /** Every file it writes is only for trying something out. */
  readonly scratch?: true;
  /** Of a call that does several things: the files it reads, and those it changes. */
  readonly reads?: readonly string[];
  readonly edits?: readonly string[];
  /** How a check that is no test went: type checker, linter, build. */
  readonly check?: { readonly verdict: "pass" | "fail" | "unknown"; readonly runner?: string; readonly failed?: number };
  /** Output and trusted exit code disagree; the exit code was followed. */
  readonly conflict?: string;
  /** What an edit takes away from tests. */
  readonly weakens?: readonly string[];
  /** A hash of the steps of a plan, without their state: equal while only boxes are ticked. */
  readonly plan?: string;
  /** Todos that are not done, when the call wrote a list. */
  readonly openTodos?: number;
}

/** The notes of a meaning; empty when another interpreter wrote it. */
export function notesOf({ notes }: Meaning): CodingNotes {
  // Written by codingInterpreter and stored as JSON; a foreign shape only lacks these members.
  return typeof notes === "object" && notes !== null && !Array.isArray(notes) ? (notes) : NONE;
}

const NONE: CodingNotes = {};
