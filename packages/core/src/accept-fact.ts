import { isRecent } from "./bounded.ts";
import type { FactIssue } from "./facts/field.ts";
import type { HostEvent } from "./facts/run-event.ts";
import type { ViewState } from "./view-state.ts";

const NOTHING: readonly FactIssue[] = [];

/** Whether a value is a fact of this type; a host's object may throw when it is looked at. */
export function isFact(fact: unknown, type: string): boolean {
  return typeof fact === "object" && fact !== null && typeOf(fact) === type;
}

/** The type of a fact, if it can be read. */
export function typeOf(fact: object): unknown {
  try {
    return (fact as { readonly type?: unknown }).type;
  } catch {
    return undefined;
  }
}

/** An ended run takes nothing but its resumption, and only if it was cut off or set aside. */
export function accepts(view: ViewState, fact: unknown): boolean {
  if (view.status !== "ended") return true;
  return isFact(fact, "run.resumed") && (view.outcome?.reason === "interrupted" || view.outcome?.reason === "suspended");
}

/** What is wrong with a well-formed fact at this point of the run. */
export function outOfPlace(view: ViewState, event: HostEvent): readonly FactIssue[] {
  if (event.type === "tool.finished" && event.call !== undefined && !view.pending.has(event.call) && isRecent(view.finishedCalls, event.call)) {
    return [{ path: "call", message: "this call has its result already" }];
  }
  if (event.type === "review.finished" && !view.reviews.has(event.review)) {
    return [{ path: "review", message: "no such review is waiting for an answer" }];
  }
  if (event.type === "run.started" && view.seq > 0) return [{ path: "type", message: "a run starts once" }];
  return NOTHING;
}
