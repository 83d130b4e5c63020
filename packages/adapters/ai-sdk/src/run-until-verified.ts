import type { RunPort } from "@phasekit/core";
import { shieldRun } from "@phasekit/core/adapter";

/** A result of `generateText` or `streamText`, as far as it is used; those of streams are promises. */
export interface LoopResult<TMessage> {
  readonly text: string | PromiseLike<string>;
  readonly finishReason: string | PromiseLike<string>;
  readonly response: { readonly messages: readonly TMessage[] } | PromiseLike<{ readonly messages: readonly TMessage[] }>;
  /** AI SDK 7: the messages of all steps; there `response` is only the last step's. */
  readonly responseMessages?: readonly TMessage[] | PromiseLike<readonly TMessage[]>;
}

/**
 * Generates until the run accepts the result: what a gate objects to is said to the agent, and it goes on from there.
 * The veto for AI SDK 5 and 6, and for every call without steering. The run's own caps end it.
 *
 * @example
 * const result = await runUntilVerified(run, { messages, generate: (messages) => generateText(withPhases(run, { model, tools, messages, stopWhen })) });
 */
export async function runUntilVerified<TMessage, TResult extends LoopResult<TMessage>>(
  run: RunPort,
  { messages, generate }: { readonly messages: readonly TMessage[]; readonly generate: (messages: TMessage[]) => TResult | PromiseLike<TResult> },
): Promise<TResult> {
  const { beforeFinish } = shieldRun(run);
  let list = [...messages];
  for (;;) {
    const result = await generate(list);
    const [text, finishReason] = [await result.text, await result.finishReason];
    if (finishReason !== "stop" || run.view.stopped !== undefined || run.view.status !== "running") return result;
    const finish = beforeFinish({ text });
    if (finish.accept) return result;
    // A user message fits every list of messages, whatever its union is called.
    const said = (await result.responseMessages) ?? (await result.response).messages;
    list = [...list, ...said, { role: "user", content: finish.text } as TMessage];
  }
}
