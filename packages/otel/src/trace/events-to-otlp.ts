import type { RunEvent } from "@phasekit/core";
import { CONVENTIONS } from "../conventions.ts";
import { attributesFrom, type AttributeValue, type OtlpLogs, type OtlpTraces } from "./otlp.ts";
import { TraceFold, type TraceOptions } from "./trace-fold.ts";

/** Options for `eventsToOtlp()`. All optional. */
export interface OtlpOptions extends TraceOptions {
  /** Attributes of the resource, such as `deployment.environment.name`. @default { "service.name": the agent } */
  readonly resource?: Readonly<Record<string, string | number | boolean>>;
}

/** A run as bodies of requests to `/v1/traces` and `/v1/logs`. */
export interface OtlpDocument {
  readonly traces: OtlpTraces;
  /** Log-based events: alerts, nudges, refusals, gates. Empty with `asSpans`. */
  readonly logs: OtlpLogs;
}

/** The name and version of what makes these spans. */
const SCOPE = { name: "@phasekit/otel", version: CONVENTIONS } as const;

/**
 * Converts the log of a run to OTLP/JSON: the run, its phases, its model and tool calls as spans; alerts, nudges,
 * refusals and gates as log-based events; and the story of the run, with why it ended, on its span. A pure fold that
 * needs no SDK. The same log gives the same ids, so sending it twice is one trace. It leaves texts out unless you ask
 * for them.
 *
 * @example
 * const { traces, logs } = eventsToOtlp(await readRun(store, id));
 * await fetch("http://localhost:4318/v1/traces", { method: "POST", body: JSON.stringify(traces),
 *   headers: { "content-type": "application/json" } });
 */
export function eventsToOtlp(events: Iterable<RunEvent>, options: OtlpOptions = {}): OtlpDocument {
  const fold = new TraceFold(options);
  for (const event of events) fold.add(event);
  fold.end();
  return otlpDocument(fold.take(), options);
}

/** Wraps spans and log records as requests do. */
export function otlpDocument(
  { spans, logs }: ReturnType<TraceFold["take"]>,
  { agent = "agent", resource: given }: Pick<OtlpOptions, "agent" | "resource">,
): OtlpDocument {
  const resource = { attributes: attributesFrom(resourceMembers(agent, given)) };
  return {
    traces: { resourceSpans: [{ resource, scopeSpans: [{ scope: SCOPE, spans }] }] },
    logs: { resourceLogs: [{ resource, scopeLogs: [{ scope: SCOPE, logRecords: logs }] }] },
  };
}

/** The members of the resource, with the user's own over ours. */
export function resourceMembers(
  agent: string,
  given: OtlpOptions["resource"] = {},
): Readonly<Record<string, AttributeValue>> {
  return { "service.name": agent, "telemetry.sdk.name": "phasekit", "telemetry.sdk.language": "nodejs", ...given };
}
