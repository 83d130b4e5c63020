import type { RunPort } from "@phasekit/core";
import { toObject, watchChunks } from "@phasekit/core/adapter";
import { createMessageCollector } from "./message-answer.ts";
import { recordFailure, recordResponse } from "./record-response.ts";

/** Options for `watchStream()`. All optional. */
export interface WatchOptions {
  /** Milliseconds since the request was sent. */
  readonly elapsed?: () => number;
}

/**
 * Records a stream of `messages.create({ stream: true })` while the caller reads it: text as it arrives, the message at
 * the end. Returns the same stream object.
 */
export function watchStream<TStream extends AsyncIterable<unknown>>(
  run: RunPort,
  stream: TStream,
  { elapsed }: WatchOptions = {},
): TStream {
  const times = () => (elapsed === undefined ? {} : { durationMs: elapsed() });
  return watchChunks(run, stream, () => {
    const { add, message } = createMessageCollector();
    return {
      add: (event) => add(toObject(event)),
      recordAnswer: () => {
        const whole = message();
        if (whole !== undefined) recordResponse(run, whole, times());
        return whole !== undefined;
      },
      recordFailure: (error) => recordFailure(run, error, times()),
    };
  });
}
