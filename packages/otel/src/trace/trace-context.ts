import type { kinds } from "../conventions.ts";
import type { OtlpAttribute, OtlpLogRecord, OtlpSpan, SharedAttributes } from "./otlp.ts";
import type { EventFilter } from "./plain-event.ts";
import type { TraceIds } from "./trace-ids.ts";

/** Everything the builders of spans and log records need to know about the run they are in. */
export interface TraceContext extends EventFilter {
  readonly ids: TraceIds;
  /** The name of the agent for events that name none. */
  readonly agent: string;
  readonly provider: string | undefined;
  readonly run: string;
  /** The span of the phase entry the run is in. */
  readonly phaseSpan: string;
  /** Attributes of every span and record inside the phase entry: the run, its conversation and its phase. */
  readonly common: readonly OtlpAttribute[];
  /** The attributes that name the kind of a span, by kind. */
  readonly kinds: Readonly<Record<keyof typeof kinds, readonly OtlpAttribute[]>>;
  /** Attributes that many spans of the run share. */
  readonly shared: SharedAttributes;
  readonly addSpan: (span: OtlpSpan) => void;
  readonly addLog: (record: OtlpLogRecord) => void;
}
