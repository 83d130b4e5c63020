import type { Meter, Span } from "@opentelemetry/api";
import type { RunEvent, RunPort } from "@phasekit/core";
import type { RunStory } from "@phasekit/ledger/story";
import type { LogRecordExporter } from "@opentelemetry/sdk-logs";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { createSendQueue, type SendLimits, type SendQueue, type SendStatus } from "../queue/send-queue.ts";
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
 * one. The agent never waits for it: spans wait in a bounded queue, and what does not fit is dropped and counted.
 *
 * @example
 * const traced = traceRun(run, { traces: new OTLPTraceExporter(), logs: new OTLPLogExporter() });
 * await trackRun(run, work);
 * await traced.close();
 */
export function traceRun(run: Pick<RunPort, "subscribe">, options: TraceRunOptions): TracedRun {
  const { traces, logs, meter, earlier = [], agent = "agent" } = options;
  const resource = resourceFrom(resourceMembers(agent, options.resource));
  const spanQueue = exportQueue<OtlpSpan, ReturnType<typeof toReadableSpan>>(traces, options, (span) =>
    toReadableSpan(span, resource),
  );
  const logQueue =
    logs === undefined
      ? undefined
      : exportQueue<OtlpLogRecord, ReturnType<typeof toReadableLog>>(logs, options, (record) =>
          toReadableLog(record, resource),
        );
  const traced = new Set<string>();
  let fold: TraceFold | undefined;
  let around: Span | undefined;
  let before: RunStory | undefined;

  function open(): TraceFold {
    around = activeSpan();
    const { traceId, spanId } = around?.spanContext() ?? {};
    const parent = traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
    const made = new TraceFold({
      asSpans: logs === undefined,
      ...(parent !== undefined && { parent }),
      ...options,
    });
    for (const event of earlier) made.add(event);
    made.take();
    before = made.story();
    return made;
  }

  /** True if another instrumentation has a span for the call of this event, from its request to its result. */
  function isTraced(event: RunEvent, span: Span | undefined): boolean {
    const isInside = span !== undefined && isAgentSpan(span);
    const { call } = event;
    if (event.type === "tool.requested" && call !== undefined && isInside && traced.size < MAX_TRACED) traced.add(call);
    if ((event.type === "tool.finished" || event.type === "tool.refused") && call !== undefined)
      return traced.delete(call) || isInside;
    return isInside && (event.type === "model.answered" || event.type === "model.failed");
  }

  function take(step: readonly RunEvent[]): void {
    const current = (fold ??= open());
    const span = activeSpan();
    for (const event of step) {
      current.add(event, { isTraced: isTraced(event, span) });
      if (span !== undefined && isAgentSpan(span)) describeSpan(span, event, current.phase);
      if (event.type === "run.finished") finish(current);
    }
    send(current);
  }

  function finish(current: TraceFold): void {
    const story = current.story();
    if (story === undefined) return;
    if (around?.isRecording() === true && isAgentSpan(around)) describeRunSpan(around, story);
    if (meter !== undefined) recordStory(meter, story, before);
    before = story;
  }

  function send(current: TraceFold): void {
    const made = current.take();
    if (made.spans.length > 0) spanQueue.push(made.spans);
    if (made.logs.length > 0) logQueue?.push(made.logs);
  }

  const unsubscribe = run.subscribe(take);
  const status = (): SendStatus => together(spanQueue.status(), logQueue?.status());
  return {
    status,
    flush: async () => {
      await Promise.all([spanQueue.flush(), logQueue?.flush()]);
      return status();
    },
    close: async () => {
      unsubscribe();
      if (fold !== undefined) {
        fold.end();
        send(fold);
      }
      await Promise.all([spanQueue.close(), logQueue?.close()]);
      return status();
    },
  };
}

/** The result of an export, in every version of the SDK: 0 is success. */
interface Exported {
  readonly code: number;
  readonly error?: Error;
}

function exportQueue<T, TReadable>(
  exporter: { readonly export: (items: TReadable[], done: (result: Exported) => void) => void },
  limits: SendLimits,
  toReadable: (item: T) => TReadable,
): SendQueue<T> {
  return createSendQueue<T, TReadable[]>(
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
    ...(problem !== undefined && { problem }),
  };
}
