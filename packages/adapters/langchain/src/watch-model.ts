import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessageChunk } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import type { RunPort } from "@phasekit/core";
import { shieldRun } from "@phasekit/core/adapter";
import { reasoningOf } from "./message-answer.ts";

/** Listener on one model call. */
export interface ModelWatch {
  /** For the callbacks of the model call. */
  readonly handler: BaseCallbackHandler;
  /** Why the answer ended. A streamed message no longer has the reason. */
  readonly finishReason: () => string | undefined;
}

/** Listens to one model call: the pieces of streamed text, and the finish reason. */
export function watchModel(run: RunPort): ModelWatch {
  let reason: string | undefined;
  const handler = BaseCallbackHandler.fromMethods({
    handleLLMNewToken: (...[token, , , , , fields]) => {
      watchToken(run, token, fields?.chunk);
    },
    handleLLMEnd: (output) => {
      reason = finishReasonIn(output);
    },
  });
  // Without it, pieces may arrive after the answer.
  handler.awaitHandlers = true;
  return { handler, finishReason: () => reason };
}

/** Passes on a piece of streamed text, and the reasoning that came with it. */
export function watchToken(run: RunPort, token: string, chunk: unknown): void {
  const { attempt, text } = shieldRun(run);
  if (token !== "") text(token);
  const { message } = (chunk ?? {}) as { readonly message?: unknown };
  const reasoning = attempt("reasoning", () => (AIMessageChunk.isInstance(message) ? reasoningOf(message) : ""), "");
  if (reasoning !== "") text(reasoning, { stream: "reasoning" });
}

/** The finish reason next to the message, if the integration reports one. */
export function finishReasonIn({ generations }: LLMResult): string | undefined {
  const { finish_reason: reason } = generations[0]?.[0]?.generationInfo ?? {};
  return typeof reason === "string" ? reason : undefined;
}

interface Bindable {
  readonly bindTools: (...parameters: readonly unknown[]) => object;
}
interface Invocable {
  readonly invoke: (input: unknown, config?: RunnableConfig) => Promise<unknown>;
}

/**
 * Wraps a model to add a listener to its calls: the agent binds its tools, then invokes the result. Some integrations
 * accept callbacks no earlier. Returns a model without these methods unchanged.
 */
export function listenTo<TModel extends object>(model: TModel, listener: BaseCallbackHandler): TModel {
  return override(model, "bindTools", (target) => (...parameters: readonly unknown[]) => {
    const bound = (target as TModel & Bindable).bindTools(...parameters);
    return override(
      bound,
      "invoke",
      (runnable) => (input: unknown, config?: RunnableConfig) =>
        (runnable as Invocable).invoke(input, mergeConfigs(config, { callbacks: [listener] })),
    );
  });
}

/** Replaces one method of an object. All others run on the object itself: it may have private members. */
function override<TObject extends object>(
  object: TObject,
  method: string,
  replace: (target: TObject) => unknown,
): TObject {
  return new Proxy(object, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function" || key === "constructor") return member;
      return key === method ? replace(target) : (member.bind(target) as unknown);
    },
  });
}
