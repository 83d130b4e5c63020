import type { RunPort } from "@phasekit/core";
import { type ChunkText, type LooseObject, textIn, toObject, watchChunks } from "@phasekit/core/adapter";
import { objectsIn } from "./objects-in.ts";
import { createChatCollector, NO_TEXT } from "./chat-answer.ts";
import { recordFailure, recordResponse } from "./record-response.ts";

/** Options for `watchStream()`. All optional. */
export interface WatchOptions {
  /** Drops the chunk that only carries usage the caller did not ask for. @default false */
  readonly hideUsage?: boolean;
  /** Milliseconds since the request was sent. */
  readonly elapsed?: () => number;
}

/**
 * Records a stream of chat chunks or Responses events while the caller reads it: text as it arrives, the answer at the
 * end. Returns the same stream object.
 */
export function watchStream<TStream extends AsyncIterable<unknown>>(
  run: RunPort,
  stream: TStream,
  { hideUsage = false, elapsed }: WatchOptions = {},
): TStream {
  const times = () => (elapsed === undefined ? {} : { durationMs: elapsed() });
  return watchChunks(run, stream, () => {
    const { add, answer } = createStreamCollector();
    return {
      add: (chunk) => add(toObject(chunk)),
      recordAnswer: () => {
        const whole = answer();
        if (whole !== undefined) recordResponse(run, whole, times());
        return whole !== undefined;
      },
      recordFailure: (error) => recordFailure(run, error, times()),
      isHidden: (chunk) => hideUsage && isUsageOnly(toObject(chunk)),
    };
  });
}

/** Collects either kind of stream. `answer()` is `undefined` if the stream ended before the model did. */
function createStreamCollector(): {
  readonly add: (chunk: LooseObject) => ChunkText;
  readonly answer: () => LooseObject | undefined;
} {
  const chat = createChatCollector();
  let response: LooseObject | undefined;
  let isResponses = false;
  return {
    add: (chunk) => {
      const type = textIn(chunk["type"]);
      if (!type.startsWith("response.")) return chat.add(chunk);
      isResponses = true;
      if (/^response\.(completed|incomplete|failed)$/.test(type)) response = toObject(chunk["response"]);
      const delta = textIn(chunk["delta"]);
      if (type === "response.output_text.delta") return { text: delta, reasoning: "" };
      return /^response\.reasoning(_summary)?_text\.delta$/.test(type) ? { text: "", reasoning: delta } : NO_TEXT;
    },
    answer: () => {
      if (isResponses) return response;
      const completion = chat.completion();
      return objectsIn(completion["choices"])[0]?.["finish_reason"] === undefined ? undefined : completion;
    },
  };
}

function isUsageOnly(chunk: LooseObject): boolean {
  return (
    Array.isArray(chunk["choices"]) &&
    chunk["choices"].length === 0 &&
    chunk["usage"] !== undefined &&
    chunk["usage"] !== null
  );
}
