import type { RunPort } from "@phasekit/core";
import { shieldRun } from "@phasekit/core/adapter";

/** The members we use of a result of `generateText` or `streamText`; a stream has promises. */
export interface LoopResult<TMessage> {
  readonly text: string | PromiseLike<string>;
  readonly finishReason: string | PromiseLike<string>;
  readonly response:
    { readonly messages: readonly TMessage[] } | PromiseLike<{ readonly messages: readonly TMessage[] }>;
  /** Messages of all steps, in AI SDK 7; `response` has only those of the last step there. */
  readonly responseMessages?: readonly TMessage[] | PromiseLike<readonly TMessage[]>;
}

/**
 * Generates until the run accepts the result. On a veto, the agent gets the text of the gate and continues. Use it with
 * AI SDK 5 and 6, and for calls without steering. The run's own limits end the loop.
 *
 * @example
 * const result = await runUntilVerified(run, {
 *   messages,
 *   generate: (messages) => generateText(withPhases(run, { model, tools, messages, stopWhen })),
 * });
 */
export async function runUntilVerified<TMessage, TResult extends LoopResult<TMessage>>(
  run: RunPort,
  {
    messages,
    generate,
  }: {
    readonly messages: readonly TMessage[];
    readonly generate: (messages: TMessage[]) => TResult | PromiseLike<TResult>;
  },
): Promise<TResult> {
  const { beforeFinish } = shieldRun(run);
  let list = [...messages];
  for (;;) {
    const result = await generate(list);
    const [text, finishReason] = [await result.text, await result.finishReason];
    if (finishReason !== "stop" || run.view.stopped !== undefined || run.view.status !== "running") return result;
    const finish = beforeFinish({ text });
    if (finish.accept) return result;
    // A user message is a valid member of the list, whatever its union type is called.
    const said = (await result.responseMessages) ?? (await result.response).messages;
    list = [...list, ...said, { role: "user", content: finish.text } as TMessage];
  }
}
