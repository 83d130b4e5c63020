import type { RunPort } from "@phasekit/core";
import { defined, failureToModelEvent, nameIn, recordAnswer, shieldRun, toObject } from "@phasekit/core/adapter";
import { blocksOf } from "./content-blocks.ts";
import { isCompaction, messageToAnswer } from "./message-answer.ts";

/** Options for `recordResponse()`. All optional. */
interface RecordOptions {
  readonly durationMs?: number;
  /** Calls that already began: the tool runner starts them while the answer streams. */
  readonly over?: ReadonlySet<string>;
}

/**
 * Records a message of the model with its tool calls. Recording the same message again does nothing, so it is safe in a
 * loop with a wrapped client.
 */
export function recordResponse<TMessage extends object>(
  run: RunPort,
  message: TMessage,
  { durationMs, over }: RecordOptions = {},
): TMessage {
  const { record, recordOnce } = shieldRun(run);
  recordOnce(message, () => {
    const times = defined({ durationMs });
    const summary = summaryIn(message);
    const answer = messageToAnswer(message);
    if (summary !== undefined && answer.text === "" && answer.calls.length === 0) {
      // The answer to a request for a summary: it has a cost, and the agent says nothing with it.
      const { usage, model } = answer;
      const known = defined({ usage, model });
      record({ type: "model.answered", ...known, ...times, textLength: summary.length, toolCalls: 0 });
    } else recordAnswer(run, answer, { ...times, ...defined({ over }) });
    if (summary !== undefined) record({ type: "context.compacted", summary });
  });
  return message;
}

/** The summary that replaces the messages before it, if the server made one. */
function summaryIn(message: object): string | undefined {
  return nameIn(blocksOf(toObject(message)["content"]).find(isCompaction)?.["content"]);
}

/** Records a failed model call with its status and code, or as aborted by the host. */
export function recordFailure(
  run: RunPort,
  error: unknown,
  { durationMs }: { readonly durationMs?: number } = {},
): void {
  const { record, attempt } = shieldRun(run);
  attempt(
    "recordFailure",
    () => {
      const event = failureToModelEvent(error);
      const code = event.code ?? codeOf(error);
      return record({
        ...event,
        ...defined({ code, durationMs }),
      });
    },
    false,
  );
}

/** The API's name for an error: `overloaded_error`, `rate_limit_error`. */
function codeOf(error: unknown): string | undefined {
  const { type, error: body } = toObject(error);
  return nameIn(type) ?? nameIn(toObject(toObject(body)["error"])["type"]);
}
