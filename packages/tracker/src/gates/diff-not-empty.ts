import type { Policy } from "@phasekit/core";
import { lastChange } from "@phasekit/core/account";
import { workGate } from "./work-gate.ts";

/** Options for `diffNotEmpty()`. All optional. */
export interface DiffNotEmptyOptions {
  /** @default "diff-not-empty" */
  readonly gate?: string;
  readonly text?: () => string;
}

/**
 * A gate for tasks that ask for a change: something was changed. A `workspace.observed` event decides. Without one the
 * landed edits do, with a doubt, because an edit may have been reverted.
 *
 * @example
 * policies: [phaseTracker(), diffNotEmpty()]
 */
export function diffNotEmpty({ gate = "diff-not-empty", text = defaultText }: DiffNotEmptyOptions = {}): Policy {
  return workGate(gate, {
    version: "3",
    check: ({ work }) => {
      const { unread, lastUnreadSeq } = work;
      const edits = work.files.size;
      const lastSeq = Math.max(lastChange(work)?.seq ?? 0, lastUnreadSeq, work.takenBackSeq);
      const observed = work.observed !== undefined && work.observed.seq >= lastSeq ? work.observed.files : undefined;
      if (observed === undefined && edits === 0 && unread > 0)
        return {
          verdict: "unavailable",
          why: "A call could not be read, so it is not known whether anything was changed.",
        };
      if (observed === 0 || (observed === undefined && edits === 0))
        return { verdict: "veto", why: "Nothing was changed.", text: text(), evidence: { edits } };
      const files = observed ?? edits;
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
