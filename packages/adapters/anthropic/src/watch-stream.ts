import { toObject } from "@phasekit/core/kit";
import type { RunPort } from "@phasekit/core";
import { shieldRun } from "@phasekit/core/adapter";
import { createMessageCollector, NO_PIECES } from "./message-answer.ts";
import { recordFailure, recordResponse } from "./record-response.ts";

interface WatchedStream extends AsyncIterable<unknown> {
  iterator?: () => AsyncIterator<unknown>;
  readonly controller?: { readonly abort: () => void };
}

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
  options: WatchOptions = {},
): TStream {
  const watched = stream as TStream & WatchedStream;
  const original = (watched.iterator ?? watched[Symbol.asyncIterator]).bind(watched) as () => AsyncIterator<unknown>;
  const iterate = () => watchEvents(run, { iterator: original(), abort: () => watched.controller?.abort() }, options);
  // The library's `tee()` and `toReadableStream()` read `iterator`; `for await` reads `Symbol.asyncIterator`.
  if (watched.iterator === undefined)
    Object.defineProperty(watched, Symbol.asyncIterator, { value: iterate, configurable: true });
  else watched.iterator = iterate;
  return stream;
}

async function* watchEvents(
  run: RunPort,
  { iterator, abort }: { readonly iterator: AsyncIterator<unknown>; readonly abort: () => void },
  { elapsed }: WatchOptions,
): AsyncGenerator<unknown, void> {
  const { attempt, text } = shieldRun(run);
  const collector = createMessageCollector();
  const times = () => (elapsed === undefined ? {} : { durationMs: elapsed() });
  let settled = false;
  try {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      const event = next.value;
      const delta = attempt("watchStream", () => collector.add(toObject(event)), NO_PIECES);
      const stop =
        (delta.reasoning !== "" && text(delta.reasoning, { stream: "reasoning" }).stop) ||
        (delta.text !== "" && text(delta.text).stop);
      yield event;
      if (stop) {
        abort();
        break;
      }
    }
    settled = true;
    const message = attempt("watchStream", collector.message, undefined);
    if (message === undefined) recordFailure(run, aborted(), times());
    else recordResponse(run, message, times());
  } catch (error) {
    settled = true;
    recordFailure(run, error, times());
    throw error;
  } finally {
    if (!settled) {
      // The reader stopped early: there is no complete message.
      recordFailure(run, aborted(), times());
      await iterator.return?.();
    }
  }
}

function aborted(): Error {
  return Object.assign(new Error("The stream ended before the model did."), { name: "AbortError" });
}
