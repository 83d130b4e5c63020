import { toObject } from "@phasekit/core/adapter";

type Callback = (event: unknown) => unknown;
type Transform = (options: unknown) => object;

declare const TransformStream: new (transformer: {
  readonly transform: (part: unknown, controller: { readonly enqueue: (part: unknown) => void }) => void;
  readonly flush: () => void;
}) => object;

/** The options of a streamed call that say how it ends. */
interface StreamOptions {
  readonly onEnd?: Callback;
  readonly onFinish?: Callback;
  readonly experimental_transform?: Transform | readonly Transform[];
}

/** The settings of an agent and the options of one of its calls. */
export interface StreamedCall {
  readonly settings: object;
  readonly call: object;
}

/**
 * Returns settings and options that report the end of a streamed call, with the error or the abort that ended it. Your
 * own callbacks and transforms still run.
 */
export function endWithStream({ settings, call }: StreamedCall, end: (error?: unknown) => void): StreamedCall {
  let failure: unknown;
  let finished = false;
  const watch: Transform = () =>
    new TransformStream({
      transform: (part, controller) => {
        const { type, error } = toObject(part);
        if (type === "error") failure = error;
        // A new step after an error: the SDK tries again.
        if (type === "start-step") failure = undefined;
        if (type === "abort") failure = Object.assign(new Error("The call was aborted."), { name: "AbortError" });
        if (type === "finish") finished = true;
        controller.enqueue(part);
      },
      // A stream that finishes still has callbacks to come.
      flush: () => {
        if (!finished) end(failure);
      },
    });
  const endAfter = ({ onEnd, onFinish }: StreamOptions): StreamOptions => {
    const atEnd: Callback = async (event) => {
      try {
        await (onEnd ?? onFinish)?.(event);
      } finally {
        end(failure);
      }
    };
    return onEnd === undefined ? { onFinish: atEnd } : { onEnd: atEnd };
  };
  const given: StreamOptions = call;
  const { experimental_transform: own = [] }: StreamOptions = { ...settings, ...call };
  const hasCallback = given.onEnd !== undefined || given.onFinish !== undefined;
  return {
    settings: { ...settings, ...endAfter(settings) },
    // Versions 5 and 6 take the callback of the call instead of that of the settings, version 7 takes both.
    call: { ...call, ...(hasCallback && endAfter(given)), experimental_transform: [...[own].flat(), watch] },
  };
}
