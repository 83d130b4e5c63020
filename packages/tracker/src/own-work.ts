import type { EventType, Observers, RunEvent, RunView } from "@phasekit/core";
import { foldLog } from "./fold-log.ts";
import { emptyWorkLog, workKey, type WorkLog } from "./work-log.ts";

/** The state of a policy that works with `phaseTracker` and without it. */
export interface OwnWork {
  readonly work: WorkLog;
  /** The `seq` of the last event of those below. */
  seen: number;
}

const WATCHED: readonly EventType[] = [
  "run.started",
  "turn.started",
  "model.answered",
  "message.sent",
  "message.received",
  "tool.requested",
  "tool.finished",
  "event.rejected",
  "todos.updated",
  "workspace.observed",
  "check.finished",
  "child.finished",
  "exploration.saturation",
  "event.emitted",
  "event.recorded",
  "phase.transition",
  "phase.rolled-back",
];

/** State and observers for a policy that needs the work log: it keeps one of its own only when no tracker does. */
export function ownWork(): { readonly initial: () => OwnWork; readonly observe: Observers<OwnWork> } {
  const observe = (state: OwnWork, event: RunEvent, run: RunView): void => {
    state.seen = event.seq;
    if (run.read(workKey) === undefined) foldLog(state.work, event, run);
  };
  return {
    initial: () => ({ work: emptyWorkLog(), seen: 0 }),
    observe: Object.fromEntries(WATCHED.map((type) => [type, observe])),
  };
}

/**
 * The tracker's log when there is one, else the policy's own. A tracker that failed has missed events, and what
 * they changed is not known.
 */
export function workOf(run: Pick<RunView, "read">, { work, seen }: Readonly<OwnWork>): Readonly<WorkLog> {
  const shared = run.read(workKey);
  if (shared === undefined || shared.seq >= seen) return shared ?? work;
  return {
    ...shared,
    work: { ...shared.work, unread: shared.work.unread + 1, lastUnreadSeq: seen },
    hasTools: false,
  };
}

/** The events a work log is folded from. */
export const watchedEvents = WATCHED;
