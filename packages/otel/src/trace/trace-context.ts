import type { OtlpAttribute, OtlpLogRecord, OtlpSpan } from "./otlp.ts";
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
  readonly addSpan: (span: OtlpSpan) => void;
  readonly addLog: (record: OtlpLogRecord) => void;
}
