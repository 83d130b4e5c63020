import type { EventOf } from "@phasekit/core";
import { callOf, notesOf } from "@phasekit/core/account";
import { names, own } from "../conventions.ts";
import { AttributeList, nanoseconds, type OtlpSpan, type SharedAttributes } from "./otlp.ts";
import { plainEvent } from "./plain-event.ts";
import type { TraceContext } from "./trace-context.ts";

/** A tool call: its request, its result, or both. */
export interface ToolCall {
  readonly requested?: EventOf<"tool.requested"> | undefined;
  readonly finished?: EventOf<"tool.finished">;
  /** True if Phasekit refused it: it never ran. */
  readonly refused?: boolean;
}

/** Returns the id of the span of a call: it is named by the first event of the call. */
export function toolSpanId({ requested, finished }: ToolCall, { ids }: Pick<TraceContext, "ids">): string {
  return ids.span(requested?.seq ?? finished?.seq ?? 0);
}

/** Returns the span of a tool call. One that failed by the account of the run ends with an error. */
export function toolSpan(given: ToolCall, context: TraceContext): OtlpSpan | undefined {
  const { requested, finished, refused = false } = given;
  const event = finished ?? requested;
  if (event === undefined) return undefined;
  const { text, ids, phaseSpan, common, kinds, shared } = context;
  const end = event.at;
  const start = requested?.at ?? (finished?.durationMs === undefined ? end : end - finished.durationMs);
  const failed = finished !== undefined && callOf(finished).failed;
  const attributes = new AttributeList(common, kinds.tool)
    .word(names.agent, event.agent ?? context.agent, shared)
    .word(names.tool, event.tool, shared)
    .word(names.toolType, "function", shared)
    .set(names.call, event.call)
    .set(names.errorType, refused ? "refused" : finished === undefined ? undefined : errorType(finished, failed))
    .set(own.refused, refused || undefined)
    .set(own.turn, event.turn)
    .set(own.failed, failed || undefined);
  setMeaning(attributes, given, shared);
  if (text) setTexts(attributes, given);
  const records: string[] = [];
  if (requested !== undefined) records.push(JSON.stringify(plainEvent(requested, context)));
  if (finished !== undefined) records.push(JSON.stringify(plainEvent(finished, context)));
  attributes.json(own.events, records);
  return {
    traceId: ids.trace,
    spanId: toolSpanId(given, context),
    parentSpanId: phaseSpan,
    name: `execute_tool ${event.tool}`,
    kind: 1,
    startTimeUnixNano: nanoseconds(Math.min(start, end)),
    endTimeUnixNano: nanoseconds(end),
    attributes: attributes.list,
    status: failed ? { code: 2, ...(text && finished.error && { message: finished.error.message }) } : {},
  };
}

function setMeaning(attributes: AttributeList, { requested, finished }: ToolCall, shared: SharedAttributes): void {
  const { activity, effect, gain } = finished?.meaning ?? requested?.meaning ?? {};
  attributes.word(own.activity, activity, shared).word(own.effect, effect, shared);
  if (finished === undefined) return;
  const { landed, check } = callOf(finished);
  attributes
    .set(own.gain, gain)
    .set(own.changed, landed || undefined)
    .set(own.exitCode, notesOf(finished.meaning).exitCode ?? finished.exitCode)
    .word(own.checkKind, check?.kind, shared)
    .word(own.checkVerdict, check?.verdict, shared);
}

/** One of few words: the conventions ask for an error type that a dashboard can group by. */
function errorType(finished: EventOf<"tool.finished">, failed: boolean): string | undefined {
  const { outcome, error, exitCode, meaning } = finished;
  if (outcome === "denied") return "denied";
  if (!failed) return undefined;
  const { error: noted, exitCode: seen = exitCode } = notesOf(meaning);
  if (meaning.tests?.verdict === "fail") return "tests_failed";
  return (
    error?.code ??
    error?.name ??
    noted?.cause ??
    (seen === undefined || seen === 0 ? "tool_error" : `exit_${String(seen)}`)
  );
}

function setTexts(attributes: AttributeList, { requested, finished }: ToolCall): void {
  const input = textOf(requested?.input ?? finished?.input);
  const output = textOf(finished?.output ?? finished?.error?.message);
  attributes
    .set(names.arguments, input)
    .set(names.inferenceInput, input)
    .set(names.result, output)
    .set(names.inferenceOutput, output);
}

function textOf(value: unknown): string | undefined {
  return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
}
