import type { RunPort } from "@phasekit/core";
import { shieldRun } from "@phasekit/core/adapter";
import { createChatCollector } from "./chat-answer.ts";
import { recordFailure, recordResponse } from "./record-response.ts";
import { listIn, objectIn, textIn, type WireObject } from "./wire-json.ts";

interface WatchedStream extends AsyncIterable<unknown> {
  iterator?: () => AsyncIterator<unknown>;
  readonly controller?: { readonly abort: () => void };
}

export interface WatchOptions {
  /** Keeps the chunk back that only carries usage the caller did not ask for. @default false */
  readonly hideUsage?: boolean;
  /** Milliseconds since the request was sent. */
  readonly elapsed?: () => number;
}

/**
 * Watches a stream of chat chunks or Responses events while somebody else reads it: its text as it comes, the whole
 * answer when it ends. The stream stays the same object.
 */
export function watchStream<TStream extends AsyncIterable<unknown>>(run: RunPort, stream: TStream, options: WatchOptions = {}): TStream {
  const watched = stream as TStream & WatchedStream;
  const original = (watched.iterator ?? watched[Symbol.asyncIterator]).bind(watched) as () => AsyncIterator<unknown>;
  const iterate = () => watchChunks(run, { iterator: original(), abort: () => watched.controller?.abort() }, options);
  // `tee()` and `toReadableStream()` of the library read the one, `for await` the other.
  if (watched.iterator === undefined) Object.defineProperty(watched, Symbol.asyncIterator, { value: iterate, configurable: true });
  else watched.iterator = iterate;
  return stream;
}

async function* watchChunks(
  run: RunPort,
  { iterator, abort }: { readonly iterator: AsyncIterator<unknown>; readonly abort: () => void },
  { hideUsage = false, elapsed }: WatchOptions,
): AsyncGenerator<unknown, void> {
  const { attempt, text } = shieldRun(run);
  const collector = createStreamCollector();
  const times = () => (elapsed === undefined ? {} : { durationMs: elapsed() });
  let settled = false;
  try {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      const chunk = next.value;
      const delta = attempt("watchStream", () => collector.add(objectIn(chunk)), "");
      const stop = delta !== "" && text(delta).stop;
      if (!(hideUsage && isUsageOnly(objectIn(chunk)))) yield chunk;
      if (stop) {
        abort();
        break;
      }
    }
    settled = true;
    const answer = attempt("watchStream", collector.answer, undefined);
    if (answer === undefined) recordFailure(run, aborted(), times());
    else recordResponse(run, answer, times());
  } catch (error) {
    settled = true;
    recordFailure(run, error, times());
    throw error;
  } finally {
    if (!settled) {
      // The reader went away: what it has heard is all there will be.
      recordFailure(run, aborted(), times());
      await iterator.return?.();
    }
  }
}

/** Collects either kind of stream; its answer is `undefined` when the stream ended before the model did. */
function createStreamCollector(): { readonly add: (chunk: WireObject) => string; readonly answer: () => WireObject | undefined } {
  const chat = createChatCollector();
  let response: WireObject | undefined;
  let isResponses = false;
  return {
    add: (chunk) => {
      const type = textIn(chunk["type"]);
      if (!type.startsWith("response.")) return chat.add(chunk);
      isResponses = true;
      if (/^response\.(completed|incomplete|failed)$/.test(type)) response = objectIn(chunk["response"]);
      return type === "response.output_text.delta" ? textIn(chunk["delta"]) : "";
    },
    answer: () => {
      if (isResponses) return response;
      const completion = chat.completion();
      return listIn(completion["choices"])[0]?.["finish_reason"] === undefined ? undefined : completion;
    },
  };
}

function isUsageOnly(chunk: WireObject): boolean {
  return Array.isArray(chunk["choices"]) && chunk["choices"].length === 0 && chunk["usage"] !== undefined && chunk["usage"] !== null;
}

function aborted(): Error {
  return Object.assign(new Error("The stream ended before the model did."), { name: "AbortError" });
}
