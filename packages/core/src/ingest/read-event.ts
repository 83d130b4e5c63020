import { clipJson } from "../text/clip.ts";
import { type EventIssue, takeFields } from "../events/field.ts";
import { type HostEvent, type HostType, type IngestFault, ingestFaults } from "../events/run-event.ts";
import { normalizeJson } from "../text/json.ts";
import type { LooseObject } from "../text/loose-object.ts";
import { checkEvent, fieldsOf, typeIssue } from "./check-event.ts";
import type { IngestContext } from "./ingest-context.ts";
import { dropBadAnswers, interpretCall, type Interpretation, markUnread } from "./interpret-call.ts";
import { describeMessage } from "./message-fields.ts";
import { redactEvent, redactInterpretation, withholdEvent } from "./redact-event.ts";
import { stampEvent } from "./stamp-event.ts";

/** An event as it will be stored, or the issues of its input. */
export type ReadResult =
  { readonly event: HostEvent } | { readonly event: undefined; readonly issues: readonly EventIssue[] };

/**
 * Redacts, interprets, stamps, checks and clips an event, in this order. Interpreters see the event as it is stored,
 * never what was removed.
 */
export function readEvent(input: unknown, context: IngestContext): ReadResult {
  const issue = typeIssue(input);
  if (issue !== undefined) return { event: undefined, issues: [issue] };
  const source = input as LooseObject;
  const result = readRedacted(source, redactEvent(source, context), context);
  if (result.event !== undefined || context.redact === undefined || source["type"] === "run.started") return result;
  if (checkEvent(source).length > 0) return result;
  // The event was right until the redactor removed a field it requires.
  return readRedacted(source, withholdEvent(source), context);
}

function readRedacted(source: LooseObject, redacted: LooseObject, context: IngestContext): ReadResult {
  const interpretation = interpretCall(redacted, context);
  const result = toStored(source, interpretation, context);
  if (result.event !== undefined || interpretation.answers.length === 0) return result;
  // An interpreter may return anything; an answer that cannot be stored costs the event only its meaning.
  return toStored(source, dropBadAnswers(interpretation, context), context);
}

function toStored(source: LooseObject, interpretation: Interpretation, context: IngestContext): ReadResult {
  const issues: EventIssue[] = [];
  const type = source["type"] as HostType;
  const input = markUnread(redactInterpretation(interpretation, context), interpretation);
  const event = stampEvent(type, input, context);
  try {
    const fields = describeMessage(source, input);
    takeFields(fieldsOf(type), fields, { into: event, taking: { clip: context.clip, issues } });
    if (input["host"] !== undefined) event["host"] = clipJson(normalizeJson(input["host"]), context.clip.text);
    const faults = collectFaults(input, context, issues);
    if (faults.length > 0) event["faults"] = faults;
  } catch {
    issues.push({ path: "", message: "it cannot be read" });
  }
  if (issues.length > 0) return { event: undefined, issues };
  context.faults.length = 0;
  return { event: event as unknown as HostEvent };
}

function collectFaults(
  { faults }: LooseObject,
  { clip, faults: pending }: IngestContext,
  issues: EventIssue[],
): readonly IngestFault[] {
  const own = Array.isArray(faults) ? (ingestFaults.take(faults, "faults", { clip, issues }) ?? []) : [];
  return pending.length === 0 ? own : [...own, ...pending];
}
