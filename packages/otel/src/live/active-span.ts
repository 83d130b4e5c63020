import { type Span, trace } from "@opentelemetry/api";
import type { RunEvent } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import type { RunStory } from "@phasekit/ledger/story";
import { names, own } from "../conventions.ts";
import { storyMembers } from "../trace/run-span.ts";

/** The attributes by which other instrumentations of agents mark their spans. */
const MARKS = [names.operation, names.inferenceKind, "ai.operationId", "traceloop.span.kind"];

/** The span that is active where the host records an event; `undefined` if there is none that records. */
export function activeSpan(): Span | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() === true ? span : undefined;
}

/** True for a span of an agent, a model call or a tool call: another instrumentation traces these. */
export function isAgentSpan(span: Span): boolean {
  // The API only writes attributes; every SDK for JavaScript can be asked for them.
  const { attributes } = span as { readonly attributes?: Readonly<Record<string, unknown>> };
  return attributes !== undefined && MARKS.some((mark) => attributes[mark] !== undefined);
}

/** Adds to a span of another instrumentation what only Phasekit knows: the phase, and what a call was. */
export function describeSpan(span: Span, event: RunEvent, phase: string | undefined): void {
  if (phase !== undefined) span.setAttribute(own.phase, phase);
  switch (event.type) {
    case "tool.requested":
      if (event.meaning.activity !== undefined) span.setAttribute(own.activity, event.meaning.activity);
      return;
    case "tool.finished": {
      const { failed, landed, check } = callOf(event);
      if (event.meaning.gain !== undefined) span.setAttribute(own.gain, event.meaning.gain);
      if (failed) span.setAttribute(own.failed, true);
      if (landed) span.setAttribute(own.changed, true);
      if (check !== undefined) span.setAttribute(own.checkVerdict, check.verdict);
      return;
    }
    case "tool.refused":
      if (event.applied) span.setAttributes({ [own.refused]: true, [names.errorType]: "refused" });
      return;
    default:
      return;
  }
}

/** Adds the story of a run to the span around it. */
export function describeRunSpan(span: Span, story: RunStory): void {
  for (const [name, value] of Object.entries(storyMembers(story)))
    if (value !== undefined) span.setAttribute(name, typeof value === "object" ? [...value] : value);
}
