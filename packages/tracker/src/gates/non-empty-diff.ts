import { definePolicy, type Policy, veto, vouch } from "@phasekit/core";
import { type OwnWork, ownWork, workOf } from "../own-work.ts";

export interface NonEmptyDiffOptions {
  /** @default "non-empty-diff" */
  readonly gate?: string;
  readonly text?: () => string;
}

/**
 * A gate for tasks that ask for a change: something was changed. A `workspace.observed` fact decides; without one the
 * landed edits do, with CONCERNS, because an edit may have been taken back.
 *
 * @example
 * policies: [phaseTracker(), nonEmptyDiff()]
 */
export function nonEmptyDiff({ gate = "non-empty-diff", text = defaultText }: NonEmptyDiffOptions = {}): Policy<OwnWork> {
  return definePolicy({
    name: gate,
    version: "1",
    ...ownWork(),
    decide: {
      "finish.requested": (run, state) => {
        const { observedFiles, edits, lastEditSeq, fileModifiedCount } = workOf(run, state);
        const observed = observedFiles !== undefined && observedFiles.seq >= lastEditSeq ? observedFiles.files : undefined;
        if (observed === 0 || (observed === undefined && edits === 0)) return veto(text(), { gate, evidence: { edits } });
        return vouch({ gate, verdict: observed === undefined ? "concerns" : "pass", evidence: { files: observed ?? fileModifiedCount, observed: observed !== undefined } });
      },
    },
  });
}

function defaultText(): string {
  return "The task asks for a change, and nothing is changed. Make the change, or say why none is needed.";
}
