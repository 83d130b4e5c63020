import { PhasekitError, type RunPort } from "@phasekit/core";
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

/** Start of `runUntilVerified()`: a prompt or messages, as for `generateText`. */
export type LoopStart<TMessage> =
  | { readonly prompt: string; readonly messages?: undefined }
  | { readonly messages: readonly TMessage[]; readonly prompt?: undefined };

/**
 * Generates until the run accepts the result. On a veto, the agent gets the text of the gate and continues. Use it with
 * AI SDK 5 and 6, and for calls without steering. The run's own limits end the loop. It starts with a `prompt` or with
 * `messages`; `generate` gets messages.
 *
 * @example
 * const result = await runUntilVerified(run, {
 *   prompt: "Fix the sum.",
 *   generate: (messages) => generateText(withPhases(run, { model, tools, messages, stopWhen })),
 * });
 * @throws INVALID_OPTION
 */
export async function runUntilVerified<TMessage, TResult extends LoopResult<TMessage>>(
  run: RunPort,
  options: LoopStart<TMessage> & {
    readonly generate: (messages: TMessage[]) => TResult | PromiseLike<TResult>;
  },
): Promise<TResult> {
  const { beforeFinish } = shieldRun(run);
  const { generate } = options;
  let list = firstMessages(options);
  for (;;) {
    const result = await generate(list);
    const [text, finishReason] = [await result.text, await result.finishReason];
    if (finishReason !== "stop" || run.view.stopped !== undefined || run.view.status !== "running") return result;
    const finish = beforeFinish({ text });
    if (finish.accept) return result;
    const said = (await result.responseMessages) ?? (await result.response).messages;
    list = [...list, ...said, { role: "user", content: finish.text } as TMessage];
  }
}

/** A user message is a valid member of the list, whatever its union type is called. Checks plain JavaScript. */
function firstMessages<TMessage>({ prompt, messages }: LoopStart<TMessage>): TMessage[] {
  if (typeof prompt === "string") return [{ role: "user", content: prompt } as TMessage];
  if (Array.isArray(messages)) return [...(messages as readonly TMessage[])];
  throw new PhasekitError("INVALID_OPTION", "`runUntilVerified` has neither a `prompt` nor a list of `messages`.", {
    hint: 'Write `runUntilVerified(run, { prompt: "Fix the sum.", generate })`.',
  });
}
