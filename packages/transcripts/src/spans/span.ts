import type { Reason, Usage } from "@phasekit/core";

/** The kind of a span: an agent, a model call, a tool call, or anything around them. */
export type SpanKind = "agent" | "model" | "tool" | "other";

/** A call a model's answer asks for. */
export interface SpanCall {
  readonly id?: string;
  readonly tool: string;
  readonly input: unknown;
}

/** A span of any tracing tool, as far as a run is concerned. */
export interface Span {
  readonly id: string;
  readonly trace: string;
  readonly parent?: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** The input: the task of an agent, the arguments of a tool. */
  readonly input?: unknown;
  readonly output?: unknown;
  /** The message of the error it ended with. */
  readonly error?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly finishReason?: string;
  /** Why an agent ended, if the span says so. */
  readonly reason?: Reason;
  /** The text of a model's answer, and the calls it asks for. Absent if the trace has no texts. */
  readonly text?: string;
  readonly calls?: readonly SpanCall[];
  /** The name of the tool, and the call it was made for. */
  readonly tool?: string;
  readonly call?: string;
}
