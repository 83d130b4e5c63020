import type { RunEvent } from "@phasekit/core";
import { otlpDocument, type OtlpOptions } from "./events-to-otlp.ts";
import type { OtlpLogs, OtlpTraces } from "./otlp.ts";
import { TraceFold } from "./trace-fold.ts";

/** One request of OTLP/HTTP, with its body as JSON. */
export interface OtlpRequest {
  readonly path: "/v1/traces" | "/v1/logs";
  readonly body: string;
}

/** Options for `otlpRequests()`. */
export interface OtlpRequestOptions extends OtlpOptions {
  /** Characters of the spans or records of one request; a larger span is a request of its own. @default 60000 */
  readonly maxLength?: number;
}

/**
 * Yields the requests that send a run, in parts that every backend takes. Their bodies, one per line, are the file a
 * collector writes.
 *
 * @example
 * for (const { path, body } of otlpRequests(events)) await post(`http://localhost:4318${path}`, body);
 */
export function* otlpRequests(events: Iterable<RunEvent>, options: OtlpRequestOptions = {}): Generator<OtlpRequest> {
  for (const { traces, logs } of otlpParts(events, options)) {
    if (traces !== undefined) yield { path: "/v1/traces", body: JSON.stringify(traces) };
    if (logs !== undefined) yield { path: "/v1/logs", body: JSON.stringify(logs) };
  }
}

/** Yields a run in parts of limited size: the spans first, then the log records. */
export function* otlpParts(
  events: Iterable<RunEvent>,
  options: OtlpRequestOptions,
): Generator<{ readonly traces?: OtlpTraces; readonly logs?: OtlpLogs }> {
  const { maxLength = 60_000 } = options;
  const fold = new TraceFold(options);
  for (const event of events) fold.add(event);
  fold.end();
  const made = fold.take();
  for (const spans of partsOf(made.spans, maxLength))
    yield { traces: otlpDocument({ spans, logs: [] }, options).traces };
  for (const logs of partsOf(made.logs, maxLength)) yield { logs: otlpDocument({ spans: [], logs }, options).logs };
}

function* partsOf<T>(items: readonly T[], maxLength: number): Generator<readonly T[]> {
  let part: T[] = [];
  let length = 0;
  for (const item of items) {
    const size = JSON.stringify(item).length;
    if (part.length > 0 && length + size > maxLength) {
      yield part;
      part = [];
      length = 0;
    }
    part.push(item);
    length += size;
  }
  if (part.length > 0) yield part;
}
