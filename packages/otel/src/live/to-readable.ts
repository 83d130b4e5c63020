import { defined } from "@phasekit/core/adapter";
import { type Attributes, type HrTime, type SpanContext, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { CONVENTIONS } from "../conventions.ts";
import type { AttributeValue, OtlpAttribute, OtlpLogRecord, OtlpSpan, OtlpValue } from "../trace/otlp.ts";

type Resource = ReadableSpan["resource"];
type Members = Readonly<Record<string, AttributeValue>>;

const SCOPE = { name: "@phasekit/otel", version: CONVENTIONS };
/** The trace is sampled: who exports a run wants all of it. */
const SAMPLED = 1;

/** A resource of plain attributes, as every version of the SDK reads it. */
export function resourceFrom(members: Members): Resource {
  const attributes = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  const resource: Resource = {
    attributes,
    asyncAttributesPending: false,
    getRawAttributes: () => Object.entries(attributes) as ReturnType<Resource["getRawAttributes"]>,
    merge: (other) => (other === null ? resource : resourceFrom({ ...members, ...(other.attributes as Members) })),
  };
  return resource;
}

const STATUS = { 0: SpanStatusCode.UNSET, 1: SpanStatusCode.OK, 2: SpanStatusCode.ERROR } as const;

/** A finished span, as the exporters of the SDK take it: with our ids, so that sending it twice is one span. */
export function toReadableSpan(span: OtlpSpan, resource: Resource): ReadableSpan {
  const { traceId, spanId, parentSpanId, status, startTimeUnixNano, endTimeUnixNano } = span;
  const startTime = timeOf(startTimeUnixNano);
  const endTime = timeOf(endTimeUnixNano);
  return {
    name: span.name,
    kind: span.kind === 3 ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => contextOf(traceId, spanId),
    ...(parentSpanId !== undefined && { parentSpanContext: contextOf(traceId, parentSpanId) }),
    startTime,
    endTime,
    duration: between(startTime, endTime),
    status: { code: STATUS[status.code ?? 0], ...defined({ message: status.message }) },
    attributes: plainAttributes(span.attributes),
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** A log-based event, as the exporters of the SDK take it. */
export function toReadableLog(record: OtlpLogRecord, resource: Resource): ReadableLogRecord {
  const { timeUnixNano, severityNumber, severityText, eventName, body, traceId, spanId } = record;
  const hrTime = timeOf(timeUnixNano);
  return {
    hrTime,
    hrTimeObserved: hrTime,
    spanContext: contextOf(traceId, spanId),
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- numbers of the protocol
    severityNumber,
    severityText,
    eventName,
    ...(body !== undefined && { body: plainValue(body) }),
    resource,
    instrumentationScope: SCOPE,
    attributes: plainAttributes(record.attributes),
    droppedAttributesCount: 0,
  };
}

function contextOf(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: SAMPLED };
}

/** Times of events are whole milliseconds. */
function timeOf(nanoseconds: string): HrTime {
  const ms = Number(nanoseconds.slice(0, -6));
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
}

function between([startSeconds, startNanos]: HrTime, [endSeconds, endNanos]: HrTime): HrTime {
  const nanos = endNanos - startNanos;
  return nanos < 0 ? [endSeconds - startSeconds - 1, nanos + 1_000_000_000] : [endSeconds - startSeconds, nanos];
}

function plainAttributes(attributes: readonly OtlpAttribute[]): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue(value: OtlpValue): string | number | boolean | string[] {
  if ("stringValue" in value) return value.stringValue;
  if ("boolValue" in value) return value.boolValue;
  if ("intValue" in value) return Number(value.intValue);
  if ("doubleValue" in value) return value.doubleValue;
  return value.arrayValue.values.map((item) => String(plainValue(item)));
}
