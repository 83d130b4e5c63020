import type { Meter, Span } from "@opentelemetry/api";
import type { RunEvent, RunPort } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import type { RunStory } from "@phasekit/ledger/story";
import type { LogRecordExporter } from "@opentelemetry/sdk-logs";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { type SendLimits, SendQueue, type SendStatus } from "../queue/send-queue.ts";
import { type OtlpOptions, resourceMembers } from "../trace/events-to-otlp.ts";
import type { OtlpLogRecord, OtlpSpan } from "../trace/otlp.ts";
import { TraceFold } from "../trace/trace-fold.ts";
import { activeSpan, describeRunSpan, describeSpan, isAgentSpan } from "./active-span.ts";
import { recordStory } from "./run-metrics.ts";
import { resourceFrom, toReadableLog, toReadableSpan } from "./to-readable.ts";

/** Options for `traceRun()`. */
export interface TraceRunOptions extends OtlpOptions, SendLimits {
  /** An exporter of the SDK, such as `new OTLPTraceExporter()`. */
  readonly traces: Pick<SpanExporter, "export">;
  /** An exporter of the SDK for log-based events. @default none: events are spans without length */
  readonly logs?: Pick<LogRecordExporter, "export">;
  /** Records turns, tokens, cost, loops and ends by phase, such as `metrics.getMeter("agents")`. @default none */
  readonly meter?: Meter;
  /** The events of earlier attempts, from `resumeRun`: they are known, and not sent again. @default none */
  readonly earlier?: readonly RunEvent[];
}

/** A run on its way into traces. */
export interface TracedRun {
  /** How much was sent, waits and was dropped: spans and log records together. */
  readonly status: () => SendStatus;
  /** Tries to send everything so far, for a limited time. */
  readonly flush: () => Promise<SendStatus>;
  /** Ends the trace, flushes, and stops following the run. */
  readonly close: () => Promise<SendStatus>;
}

/** Calls whose span another instrumentation has, between their request and their result. */
const MAX_TRACED = 1000;

/**
 * Traces a run as it happens, with the exporters of the official SDK: one line, right after `createRun`. Inside a span
 * of another instrumentation, such as the AI SDK's or OpenInference's, it adds to that span instead of making a second
 * one. The agent never waits: spans go into a bounded queue, which counts and drops what does not fit.
 *
 * @example
 * const traced = traceRun(run, { traces: new OTLPTraceExporter(), logs: new OTLPLogExporter() });
 * await trackRun(run, work);
 * await traced.close();
 */
export function traceRun(run: Pick<RunPort, "subscribe">, options: TraceRunOptions): TracedRun {
  const live = new LiveTrace(options);
  const unsubscribe = run.subscribe((step) => {
    live.take(step);
  });
  return {
    status: () => live.status(),
    flush: () => live.flush(),
    close: () => {
      unsubscribe();
      return live.close();
    },
  };
}

/** The fold of one run, the queues it fills, and the span around the run. */
class LiveTrace {
  readonly #options: TraceRunOptions;
  readonly #spans: SendQueue<OtlpSpan, ReturnType<typeof toReadableSpan>[]>;
  readonly #logs: SendQueue<OtlpLogRecord, ReturnType<typeof toReadableLog>[]> | undefined;
  /** Calls whose span another instrumentation has. */
  readonly #traced = new Set<string>();
  #fold: TraceFold | undefined;
  #around: Span | undefined;
  /** The story up to the last end of the run. */
  #before: RunStory | undefined;

  constructor(options: TraceRunOptions) {
    this.#options = options;
    const { traces, logs, agent = "agent" } = options;
    const resource = resourceFrom(resourceMembers(agent, options.resource));
    this.#spans = exportQueue(traces, options, (span: OtlpSpan) => toReadableSpan(span, resource));
    this.#logs = logs && exportQueue(logs, options, (record: OtlpLogRecord) => toReadableLog(record, resource));
  }

  take(step: readonly RunEvent[]): void {
    const fold = (this.#fold ??= this.#open());
    const span = activeSpan();
    for (const event of step) {
      fold.add(event, { isTraced: this.#isTraced(event, span) });
      if (span !== undefined && isAgentSpan(span)) describeSpan(span, event, fold.phase);
      if (event.type === "run.finished") this.#finish(fold);
    }
    this.#send(fold);
  }

  status(): SendStatus {
    return together(this.#spans.status(), this.#logs?.status());
  }

  async flush(): Promise<SendStatus> {
    await Promise.all([this.#spans.flush(), this.#logs?.flush()]);
    return this.status();
  }

  async close(): Promise<SendStatus> {
    if (this.#fold !== undefined) {
      this.#fold.end();
      this.#send(this.#fold);
    }
    await Promise.all([this.#spans.close(), this.#logs?.close()]);
    return this.status();
  }

  #open(): TraceFold {
    this.#around = activeSpan();
    const { traceId, spanId } = this.#around?.spanContext() ?? {};
    const parent = traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
    const fold = new TraceFold({
      asSpans: this.#logs === undefined,
      ...defined({ parent }),
      ...this.#options,
    });
    for (const event of this.#options.earlier ?? []) fold.add(event);
    fold.take();
    this.#before = fold.story();
    return fold;
  }

  /** True if another instrumentation has a span for the call of this event, from its request to its result. */
  #isTraced(event: RunEvent, span: Span | undefined): boolean {
    const isInside = span !== undefined && isAgentSpan(span);
    const { type, call } = event;
    if (type === "tool.requested" && call !== undefined && isInside && this.#traced.size < MAX_TRACED)
      this.#traced.add(call);
    if ((type === "tool.finished" || type === "tool.refused") && call !== undefined)
      return this.#traced.delete(call) || isInside;
    return isInside && (type === "model.answered" || type === "model.failed");
  }

  #finish(fold: TraceFold): void {
    const story = fold.story();
    if (story === undefined) return;
    const around = this.#around;
    if (around?.isRecording() === true && isAgentSpan(around)) describeRunSpan(around, story);
    if (this.#options.meter !== undefined) recordStory(this.#options.meter, story, this.#before);
    this.#before = story;
  }

  #send(fold: TraceFold): void {
    const { spans, logs } = fold.take();
    if (spans.length > 0) this.#spans.push(spans);
    if (logs.length > 0) this.#logs?.push(logs);
  }
}

/** The result of an export, in every version of the SDK: 0 is success. */
interface ExportAnswer {
  readonly code: number;
  readonly error?: Error;
}

function exportQueue<T, TReadable>(
  exporter: { readonly export: (items: TReadable[], done: (result: ExportAnswer) => void) => void },
  limits: SendLimits,
  toReadable: (item: T) => TReadable,
): SendQueue<T, TReadable[]> {
  return new SendQueue<T, TReadable[]>(
    {
      prepare: (items) => items.map(toReadable),
      send: (items) =>
        new Promise((resolve, reject) => {
          exporter.export(items, ({ code, error }) => {
            if (code === 0) resolve();
            else reject(error ?? new Error("The exporter failed."));
          });
        }),
    },
    limits,
  );
}

function together(one: SendStatus, other: SendStatus | undefined): SendStatus {
  if (other === undefined) return one;
  const problem = one.problem ?? other.problem;
  return {
    sent: one.sent + other.sent,
    waiting: one.waiting + other.waiting,
    dropped: one.dropped + other.dropped,
    failures: one.failures + other.failures,
    ...defined({ problem }),
  };
}
