import type { EventOf, RunEvent } from "@phasekit/core";
import { isHostEvent } from "@phasekit/core";
import { names, own } from "../conventions.ts";
import {
  AttributeList,
  type AttributeValue,
  nanoseconds,
  type OtlpAttribute,
  type OtlpLogRecord,
  type OtlpSpan,
} from "./otlp.ts";
import { plainEvent } from "./plain-event.ts";
import type { TraceContext } from "./trace-context.ts";

/** A log-based event of the run, before it is written as a log record or as a span without length. */
interface TraceEvent {
  readonly name: string;
  readonly seq: number;
  readonly at: number;
  readonly spanId: string;
  readonly severity: OtlpLogRecord["severityNumber"];
  readonly body: string | undefined;
  readonly attributes: readonly OtlpAttribute[];
}

const SEVERITIES = { 9: "INFO", 13: "WARN", 17: "ERROR" } as const;

/** Returns the log record of an event, with the ids of the span it belongs to. */
export function eventRecord(event: RunEvent, context: TraceContext, spanId = context.phaseSpan): OtlpLogRecord {
  const { name, at, severity, body, attributes } = traceEvent(event, context, spanId);
  const time = nanoseconds(at);
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber: severity,
    severityText: SEVERITIES[severity],
    eventName: name,
    ...(body !== undefined && { body: { stringValue: body } }),
    attributes,
    traceId: context.ids.trace,
    spanId,
  };
}

/** Returns an event as a span without length, for backends that show no log records. */
export function eventSpan(event: RunEvent, context: TraceContext, parentSpanId = context.phaseSpan): OtlpSpan {
  const { name, seq, at, severity, body, attributes } = traceEvent(event, context, parentSpanId);
  const time = nanoseconds(at);
  return {
    traceId: context.ids.trace,
    spanId: context.ids.span(`event/${String(seq)}`),
    parentSpanId,
    name,
    kind: 1,
    startTimeUnixNano: time,
    endTimeUnixNano: time,
    attributes: new AttributeList(attributes, context.kinds[isGate(event) ? "gate" : "event"])
      .set(names.langfuseLevel, severity === 9 ? undefined : severity === 13 ? "WARNING" : "ERROR")
      .set(names.inferenceOutput, body).list,
    status: {},
  };
}

function traceEvent(event: RunEvent, context: TraceContext, spanId: string): TraceEvent {
  const { seq, at } = event;
  const isKept = isHostEvent(event) || event.type === "event.emitted";
  const plain = plainEvent(event, context);
  const attributes = new AttributeList(context.common)
    .word(names.agent, event.agent ?? context.agent, context.shared)
    .set(names.call, event.call)
    .set(own.turn, event.turn)
    .set(own.policy, isHostEvent(event) ? undefined : event.by);
  if (isGate(event)) attributes.all(gateMembers(event, context));
  else setMembers(attributes, event.type, plain);
  if (isKept) attributes.json(own.events, [JSON.stringify(plain)]);
  return {
    name: isGate(event) ? names.evaluation : `phasekit.${event.type}`,
    seq,
    at,
    spanId,
    severity: severityOf(event),
    body: context.text ? bodyOf(event) : undefined,
    attributes: attributes.list,
  };
}

type Gate = EventOf<"finish.vetoed"> | EventOf<"finish.vouched">;

const isGate = (event: RunEvent): event is Gate => event.type === "finish.vetoed" || event.type === "finish.vouched";

/** The one standard place for the answer of a check. An objection that was waived has its own label. */
function gateMembers(event: Gate, { text }: TraceContext): Readonly<Record<string, AttributeValue>> {
  const isVeto = event.type === "finish.vetoed";
  const label = isVeto ? (event.held === "waived" ? "waived" : "fail") : event.verdict;
  const why = event.why ?? (isVeto ? event.text : undefined);
  return {
    [names.evaluationName]: event.gate,
    [names.evaluationLabel]: label,
    [names.evaluationScore]: SCORES.get(label),
    [names.evaluationWhy]: text ? why : undefined,
    ...(isVeto && { "phasekit.veto.applied": event.applied, "phasekit.veto.held": event.held }),
  };
}

/** Verdicts that say something about the work. "met", "not-needed" and "unavailable" have no score. */
const SCORES: ReadonlyMap<string, number> = new Map([
  ["pass", 1],
  ["concerns", 0.5],
  ["weak", 0.25],
  ["fail", 0],
]);

/** Sets the plain members of an event, named after it: `kind` of `alert.raised` is `phasekit.alert.kind`. */
function setMembers(attributes: AttributeList, type: string, plain: object): void {
  const noun = type.slice(0, type.indexOf("."));
  for (const [key, value] of Object.entries(plain) as [string, unknown][]) {
    if (BASE.has(key) || (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean"))
      continue;
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    attributes.set(`phasekit.${noun}.${name}`, value);
  }
}

/** Members that are elsewhere: in attributes of every event, or in the body. */
const BASE: ReadonlySet<string> = new Set("type v seq at agent turn call index loop cause by text excerpt".split(" "));

function severityOf(event: RunEvent): TraceEvent["severity"] {
  switch (event.type) {
    case "alert.raised":
      return event.severity === "critical" ? 17 : event.severity === "warning" ? 13 : 9;
    case "policy.failed":
    case "event.rejected":
      return 17;
    case "tool.refused":
    case "finish.vetoed":
    case "stop.requested":
    case "review.requested":
    case "phase.refused":
    case "phase.timed-out":
    case "model.failed":
      return 13;
    default:
      return 9;
  }
}

/** The text of an event for people. */
function bodyOf(event: RunEvent): string | undefined {
  const { text, excerpt, why, message, summary, question, what, feedback } = event as unknown as Readonly<
    Record<string, unknown>
  >;
  const found = [text, excerpt, why, message, summary, question, what, feedback].find(
    (value) => typeof value === "string",
  );
  return found;
}
