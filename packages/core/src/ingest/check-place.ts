import { isRecent } from "../text/bounded.ts";
import type { EventIssue } from "../events/field.ts";
import type { HostEvent } from "../events/run-event.ts";
import type { ViewState } from "../view/view-state.ts";

const NONE: readonly EventIssue[] = [];

/** Returns the issues of a well-formed event at this point of the run. */
export function findMisplaced(view: ViewState, event: HostEvent): readonly EventIssue[] {
  if (
    event.type === "tool.finished" &&
    event.call !== undefined &&
    !view.pending.has(event.call) &&
    isRecent(view.finishedCalls, event.call)
  ) {
    return [{ path: "call", message: "this call has its result already" }];
  }
  if (event.type === "review.finished" && !view.reviews.has(event.review)) {
    return [{ path: "review", message: "no such review is waiting for an answer" }];
  }
  if (event.type === "run.started" && view.seq > 0) return [{ path: "type", message: "a run starts once" }];
  return NONE;
}
