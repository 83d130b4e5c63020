import type { EventOf, RunEvent } from "@phasekit/core";
import { kinds, names, own } from "../conventions.ts";
import { attributesFrom, nanoseconds, type OtlpSpan } from "./otlp.ts";
import { plainEvent } from "./plain-event.ts";
import type { TraceContext } from "./trace-context.ts";

type Answer = EventOf<"model.answered"> | EventOf<"model.failed">;

/** A model call and what the agent said and asked for in its answer. */
export interface OpenChat {
  readonly answer: Answer;
  /** The start of its turn. */
  readonly started: EventOf<"turn.started"> | undefined;
  readonly said: (EventOf<"message.sent"> | EventOf<"model.reasoned">)[];
  readonly asked: EventOf<"tool.requested">[];
}

/** Returns the span of a model call. Failed calls end with an error. */
export function chatSpan({ answer, started, said, asked }: OpenChat, context: TraceContext): OtlpSpan {
  const { ids, phaseSpan, common, provider, text } = context;
  const { model, at, durationMs, turn, seq, agent } = answer;
  const { usage, finishReason } = answer.type === "model.answered" ? answer : {};
  const start = Math.min(at, durationMs === undefined ? (started?.at ?? at) : at - durationMs);
  const failure = answer.type === "model.failed" ? (answer.code ?? answer.status ?? "model_error") : undefined;
  const records: readonly RunEvent[] = [...(started === undefined ? [] : [started]), answer, ...said];
  return {
    traceId: ids.trace,
    spanId: ids.span(seq),
    parentSpanId: phaseSpan,
    name: `chat ${model ?? "model"}`,
    kind: 3,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(at),
    attributes: [
      ...common,
      ...attributesFrom({
        ...kinds.model,
        [names.agent]: agent ?? context.agent,
        [names.provider]: provider,
        [names.requestModel]: model,
        [names.responseModel]: failure === undefined ? model : undefined,
        [names.finishReasons]: finishReason === undefined ? undefined : [finishReason],
        [names.inputTokens]: usage?.inputTokens,
        [names.outputTokens]: usage?.outputTokens,
        [names.cacheReadTokens]: usage?.cachedInputTokens,
        [names.cacheWriteTokens]: usage?.cacheWriteTokens,
        [names.reasoningTokens]: usage?.reasoningTokens,
        [names.cost]: usage?.cost,
        [names.errorType]: failure === undefined ? undefined : String(failure),
        [own.turn]: turn,
        ...(text && outputOf({ said, asked, finishReason })),
        [own.events]: records.map((event) => JSON.stringify(plainEvent(event, context))),
      }),
    ],
    status:
      failure === undefined
        ? {}
        : { code: 2, ...(text && answer.type === "model.failed" && answer.message && { message: answer.message }) },
  };
}

/** The answer as the conventions write messages, and its text as OpenInference does. */
function outputOf({
  said,
  asked,
  finishReason,
}: Pick<OpenChat, "said" | "asked"> & { readonly finishReason: string | undefined }): Readonly<Record<string, string>> {
  const texts = said.flatMap(({ type, excerpt }) => (type === "message.sent" ? [excerpt ?? ""] : []));
  const parts = [
    ...texts.map((content) => ({ type: "text", content })),
    ...asked.map(({ call, tool, input }) => ({ type: "tool_call", id: call, name: tool, arguments: input })),
  ];
  return {
    [names.outputMessages]: JSON.stringify([{ role: "assistant", parts, finish_reason: finishReason ?? "stop" }]),
    [names.inferenceOutput]: texts.join("\n"),
  };
}
