import { defineState, type RunView, type StateKey } from "../view/run-view.ts";
import type { Work } from "./work.ts";

/** The key under which a policy keeps the work of its run. The parent of the run reads it at the end. */
export const workKey: StateKey<{ readonly work: Work }> = /* @__PURE__ */ defineState("work");

// As many as an event takes.
const MAX_CHANGED = 100;

/** The files a run has changed, newest last; `undefined` if none are, or if no policy of it keeps its work. */
export function changedBy({ read }: Pick<RunView, "read">): readonly string[] | undefined {
  const files = read(workKey)?.work.files;
  return files === undefined || files.size === 0
    ? undefined
    : [...files.values()].slice(-MAX_CHANGED).map(({ path }) => path);
}
