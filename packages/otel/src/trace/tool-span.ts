import type { EventOf } from "@phasekit/core";
import { callOf, notesOf } from "@phasekit/core/account";
import { kinds, names, own } from "../conventions.ts";
import { attributesFrom, type AttributeValue, nanoseconds, type OtlpSpan } from "./otlp.ts";
import { plainEvent } from "./plain-event.ts";
import type { TraceContext } from "./trace-context.ts";

/** A tool call: its request, its result, or both. */
export interface ToolCall {
  readonly requested?: EventOf<"tool.requested"> | undefined;
  readonly finished?: EventOf<"tool.finished">;
  /** True if Phasekit refused it: it never ran. */
  readonly refused?: boolean;
}

/** Returns the id of the span of a call: it is named by the first event of the call. */
export function toolSpanId({ requested, finished }: ToolCall, { ids }: Pick<TraceContext, "ids">): string {
  return ids.span(requested?.seq ?? finished?.seq ?? 0);
}

/** Returns the span of a tool call. One that failed by the account of the run ends with an error. */
export function toolSpan(given: ToolCall, context: TraceContext): OtlpSpan | undefined {
  const { requested, finished, refused = false } = given;
  const event = finished ?? requested;
  if (event === undefined) return undefined;
  const { text, ids, phaseSpan, common } = context;
  const end = event.at;
  const start = requested?.at ?? (finished?.durationMs === undefined ? end : end - finished.durationMs);
  const failed = finished !== undefined && callOf(finished).failed;
  return {
    traceId: ids.trace,
    spanId: toolSpanId(given, context),
    parentSpanId: phaseSpan,
    name: `execute_tool ${event.tool}`,
    kind: 1,
    startTimeUnixNano: nanoseconds(Math.min(start, end)),
    endTimeUnixNano: nanoseconds(end),
    attributes: [
      ...common,
      ...attributesFrom({
        ...kinds.tool,
        [names.agent]: event.agent ?? context.agent,
        [names.tool]: event.tool,
        [names.toolType]: "function",
        [names.call]: event.call,
        [names.errorType]: refused ? "refused" : finished === undefined ? undefined : errorType(finished, failed),
        [own.refused]: refused || undefined,
        [own.turn]: event.turn,
        ...meaningOf(given),
        ...(text && textsOf(given)),
        [own.events]: [requested, finished].flatMap((one) =>
          one === undefined ? [] : [JSON.stringify(plainEvent(one, context))],
        ),
      }),
    ],
    status: failed ? { code: 2, ...(text && finished.error && { message: finished.error.message }) } : {},
  };
}

function meaningOf({ requested, finished }: ToolCall): Readonly<Record<string, AttributeValue>> {
  const { activity, effect, gain } = finished?.meaning ?? requested?.meaning ?? {};
  if (finished === undefined) return { [own.activity]: activity, [own.effect]: effect };
  const { failed, landed, check } = callOf(finished);
  return {
    [own.activity]: activity,
    [own.effect]: effect,
    [own.gain]: gain,
    [own.failed]: failed || undefined,
    [own.changed]: landed || undefined,
    [own.exitCode]: notesOf(finished.meaning).exitCode ?? finished.exitCode,
    [own.checkKind]: check?.kind,
    [own.checkVerdict]: check?.verdict,
  };
}

/** One of few words: the conventions ask for an error type that a dashboard can group by. */
function errorType(finished: EventOf<"tool.finished">, failed: boolean): string | undefined {
  const { outcome, error, exitCode, meaning } = finished;
  if (outcome === "denied") return "denied";
  if (!failed) return undefined;
  const { error: noted, exitCode: seen = exitCode } = notesOf(meaning);
  if (meaning.tests?.verdict === "fail") return "tests_failed";
  return (
    error?.code ?? error?.name ?? noted?.cause ?? (seen === undefined || seen === 0 ? "tool_error" : `exit_${String(seen)}`)
  );
}

function textsOf({ requested, finished }: ToolCall): Readonly<Record<string, AttributeValue>> {
  const input = textOf(requested?.input ?? finished?.input);
  const output = textOf(finished?.output ?? finished?.error?.message);
  return {
    [names.arguments]: input,
    [names.inferenceInput]: input,
    [names.result]: output,
    [names.inferenceOutput]: output,
  };
}

function textOf(value: unknown): string | undefined {
  return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
}
