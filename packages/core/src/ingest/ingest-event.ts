import type { EventIssue } from "../events/field.ts";
import { isResumable } from "../events/reason-codes.ts";
import type { HostEvent } from "../events/run-event.ts";
import { freezeDeep } from "../text/freeze-deep.ts";
import { readMembers } from "../text/json.ts";
import type { ViewState } from "../view/view-state.ts";
import { findMisplaced } from "./check-place.ts";
import { isEventOf, typeOf } from "./event-type.ts";
import type { IngestContext } from "./ingest-context.ts";
import { readEvent, type ReadResult } from "./read-event.ts";

/** The event to take a step on, if there is one, and whether it is the event the host recorded. */
export interface IngestResult {
  /** For input that is wrong, the `event.rejected` that says why. */
  readonly event: HostEvent | undefined;
  readonly accepted: boolean;
}

const IGNORED: IngestResult = { event: undefined, accepted: false };

/** Turns the input of a host into a stored event: the first stop of every event. Never throws. */
export function ingestEvent(input: unknown, context: IngestContext): IngestResult {
  if (!isOpenFor(context.view, input)) return IGNORED;
  const read = readSafely(input, context);
  const issues = read.event === undefined ? read.issues : findMisplaced(context.view, read.event);
  return read.event === undefined || issues.length > 0
    ? { event: ingestRejection(input, issues, context), accepted: false }
    : { event: freezeDeep(read.event), accepted: true };
}

/** An event of the run itself, such as its header, as it is stored; `undefined` if it cannot be. */
export function ingestOwn(own: object, context: IngestContext): HostEvent | undefined {
  const { event } = readSafely(own, context);
  return event === undefined ? undefined : freezeDeep(event);
}

/** The `event.rejected` for input that is wrong. */
export function ingestRejection(
  input: unknown,
  issues: readonly EventIssue[],
  context: IngestContext,
): HostEvent | undefined {
  const type = typeof input === "object" && input !== null ? typeOf(input) : undefined;
  const rejected = typeof type === "string" ? type : typeof input;
  return ingestOwn({ type: "event.rejected", rejected, issues, excerpt: input }, context);
}

/** An ended run accepts nothing but its resumption: after a resumable end as it is, after any other one reopened. */
function isOpenFor({ status, outcome }: ViewState, input: unknown): boolean {
  if (status !== "ended") return true;
  if (!isEventOf(input, "run.resumed")) return false;
  return (outcome !== undefined && isResumable(outcome.reason)) || readMembers(input)["reopened"] === true;
}

/** True for the events that end a stream of text. */
function isModelText(input: unknown): boolean {
  return isEventOf(input, "message.sent") || isEventOf(input, "model.reasoned");
}

/** A host's object may throw when it is read; the host never notices. */
function readSafely(input: unknown, context: IngestContext): ReadResult {
  try {
    return readEvent(isModelText(input) ? context.closeStream(input) : input, context);
  } catch {
    return { event: undefined, issues: [{ path: "", message: "it cannot be read" }] };
  }
}
