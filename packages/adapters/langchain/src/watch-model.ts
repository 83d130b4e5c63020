import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { LLMResult } from "@langchain/core/outputs";
import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import type { RunPort } from "@phasekit/core";
import { shieldRun } from "@phasekit/core/adapter";

/** What is heard of a model call while it is made. */
export interface ModelWatch {
  /** For the callbacks of the model call. */
  readonly handler: BaseCallbackHandler;
  /** Why the answer ended. A streamed message has lost it. */
  readonly finishReason: () => string | undefined;
}

/** Listens to one model call: its text piece by piece when it is streamed, and why it ended. */
export function watchModel(run: RunPort): ModelWatch {
  let reason: string | undefined;
  const handler = BaseCallbackHandler.fromMethods({
    handleLLMNewToken: (token) => {
      if (token !== "") shieldRun(run).text(token);
    },
    handleLLMEnd: (output) => {
      reason = finishReasonIn(output);
    },
  });
  // Otherwise pieces may come after the answer.
  handler.awaitHandlers = true;
  return { handler, finishReason: () => reason };
}

/** Why an answer ended, as far as the model's integration says it beside the message. */
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
 * The same model with a listener on the calls the agent makes: it binds its tools, then invokes what it gets. Not every
 * integration takes callbacks any earlier. What cannot be listened to is left as it is.
 */
export function listenTo<TModel extends object>(model: TModel, listener: BaseCallbackHandler): TModel {
  return override(model, "bindTools", (target) => (...parameters: readonly unknown[]) => {
    const bound = (target as TModel & Bindable).bindTools(...parameters);
    return override(bound, "invoke", (runnable) => (input: unknown, config?: RunnableConfig) => (runnable as Invocable).invoke(input, mergeConfigs(config, { callbacks: [listener] })));
  });
}

/** The same object with another method. Everything else is done by the object itself: it may keep private members. */
function override<TObject extends object>(object: TObject, method: string, replace: (target: TObject) => unknown): TObject {
  return new Proxy(object, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function" || key === "constructor") return member;
      return key === method ? replace(target) : (member.bind(target) as unknown);
    },
  });
}
