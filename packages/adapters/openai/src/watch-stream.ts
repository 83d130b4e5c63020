import type { RunPort } from "@phasekit/core";
import { shieldRun } from "@phasekit/core/adapter";
import { createChatCollector, NO_PIECES, type Pieces } from "./chat-answer.ts";
import { recordFailure, recordResponse } from "./record-response.ts";
import { listIn, objectIn, textIn, type WireObject } from "./wire-json.ts";

interface WatchedStream extends AsyncIterable<unknown> {
  iterator?: () => AsyncIterator<unknown>;
  readonly controller?: { readonly abort: () => void };
}

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
  options: WatchOptions = {},
): TStream {
  const watched = stream as TStream & WatchedStream;
  const original = (watched.iterator ?? watched[Symbol.asyncIterator]).bind(watched) as () => AsyncIterator<unknown>;
  const iterate = () => watchChunks(run, { iterator: original(), abort: () => watched.controller?.abort() }, options);
  // The library's `tee()` and `toReadableStream()` read `iterator`; `for await` reads `Symbol.asyncIterator`.
  if (watched.iterator === undefined)
    Object.defineProperty(watched, Symbol.asyncIterator, { value: iterate, configurable: true });
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
      const delta = attempt("watchStream", () => collector.add(objectIn(chunk)), NO_PIECES);
      const stop =
        (delta.reasoning !== "" && text(delta.reasoning, { stream: "reasoning" }).stop) ||
        (delta.text !== "" && text(delta.text).stop);
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
      // The reader stopped early: there is no complete answer.
      recordFailure(run, aborted(), times());
      await iterator.return?.();
    }
  }
}

/** Collects either kind of stream. `answer()` is `undefined` if the stream ended before the model did. */
function createStreamCollector(): {
  readonly add: (chunk: WireObject) => Pieces;
  readonly answer: () => WireObject | undefined;
} {
  const chat = createChatCollector();
  let response: WireObject | undefined;
  let isResponses = false;
  return {
    add: (chunk) => {
      const type = textIn(chunk["type"]);
      if (!type.startsWith("response.")) return chat.add(chunk);
      isResponses = true;
      if (/^response\.(completed|incomplete|failed)$/.test(type)) response = objectIn(chunk["response"]);
      const delta = textIn(chunk["delta"]);
      if (type === "response.output_text.delta") return { text: delta, reasoning: "" };
      return /^response\.reasoning(_summary)?_text\.delta$/.test(type) ? { text: "", reasoning: delta } : NO_PIECES;
    },
    answer: () => {
      if (isResponses) return response;
      const completion = chat.completion();
      return listIn(completion["choices"])[0]?.["finish_reason"] === undefined ? undefined : completion;
    },
  };
}

function isUsageOnly(chunk: WireObject): boolean {
  return (
    Array.isArray(chunk["choices"]) &&
    chunk["choices"].length === 0 &&
    chunk["usage"] !== undefined &&
    chunk["usage"] !== null
  );
}

function aborted(): Error {
  return Object.assign(new Error("The stream ended before the model did."), { name: "AbortError" });
}
