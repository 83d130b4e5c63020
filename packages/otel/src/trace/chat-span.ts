import type { EventOf, RunEvent } from "@phasekit/core";
import { names, own } from "../conventions.ts";
import { AttributeList, nanoseconds, type OtlpSpan } from "./otlp.ts";
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
  const { ids, phaseSpan, common, kinds, provider, shared, text } = context;
  const { model, at, durationMs, turn, seq, agent } = answer;
  const { usage, finishReason } = answer.type === "model.answered" ? answer : {};
  const start = Math.min(at, durationMs === undefined ? (started?.at ?? at) : at - durationMs);
  const failure = answer.type === "model.failed" ? (answer.code ?? answer.status ?? "model_error") : undefined;
  const records: readonly RunEvent[] = [...(started === undefined ? [] : [started]), answer, ...said];
  const attributes = new AttributeList(common, kinds.model)
    .word(names.agent, agent ?? context.agent, shared)
    .word(names.provider, provider, shared)
    .word(names.requestModel, model, shared)
    .set(names.responseModel, failure === undefined ? model : undefined)
    .set(names.finishReasons, finishReason === undefined ? undefined : [finishReason])
    .set(names.inputTokens, usage?.inputTokens)
    .set(names.outputTokens, usage?.outputTokens)
    .set(names.cacheReadTokens, usage?.cachedInputTokens)
    .set(names.cacheWriteTokens, usage?.cacheWriteTokens)
    .set(names.reasoningTokens, usage?.reasoningTokens)
    .set(names.cost, usage?.cost)
    .set(names.errorType, failure === undefined ? undefined : String(failure))
    .set(own.turn, turn);
  if (text) attributes.all(outputOf({ said, asked, finishReason }));
  attributes.json(
    own.events,
    records.map((event) => JSON.stringify(plainEvent(event, context))),
  );
  return {
    traceId: ids.trace,
    spanId: ids.span(seq),
    parentSpanId: phaseSpan,
    name: `chat ${model ?? "model"}`,
    kind: 3,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(at),
    attributes: attributes.list,
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
