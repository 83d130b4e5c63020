import type { Policy } from "@phasekit/core";
import type { OwnWork } from "../own-work.ts";
import { workGate } from "./work-gate.ts";

/** Options for `nonEmptyDiff()`. All optional. */
export interface NonEmptyDiffOptions {
  /** @default "non-empty-diff" */
  readonly gate?: string;
  readonly text?: () => string;
}

/**
 * A gate for tasks that ask for a change: something was changed. A `workspace.observed` event decides. Without one the
 * landed edits do, with a doubt, because an edit may have been reverted.
 *
 * @example
 * policies: [phaseTracker(), nonEmptyDiff()]
 */
export function nonEmptyDiff({
  gate = "non-empty-diff",
  text = defaultText,
}: NonEmptyDiffOptions = {}): Policy<OwnWork> {
  return workGate(gate, {
    version: "3",
    check: ({ observedFiles, edits, lastEditSeq, fileModifiedCount, unread, lastUnreadSeq }) => {
      const isCurrent = observedFiles !== undefined && observedFiles.seq >= Math.max(lastEditSeq, lastUnreadSeq);
      const observed = isCurrent ? observedFiles.files : undefined;
      if (observed === undefined && edits === 0 && unread > 0)
        return {
          verdict: "unavailable",
          why: "A call could not be read, so it is not known whether anything was changed.",
        };
      if (observed === 0 || (observed === undefined && edits === 0))
        return { verdict: "veto", why: "Nothing was changed.", text: text(), evidence: { edits } };
      const files = observed ?? fileModifiedCount;
      const evidence = { files, observed: observed !== undefined };
      const named = `${String(files)} ${files === 1 ? "file" : "files"} changed`;
      return observed === undefined
        ? { verdict: "doubt", why: `${named}, but the host did not report a diff.`, evidence }
        : { verdict: "met", why: `${named}.`, evidence };
    },
  });
}

function defaultText(): string {
  return "The task asks for a change, and nothing is changed. Make the change, or say why none is needed.";
}
