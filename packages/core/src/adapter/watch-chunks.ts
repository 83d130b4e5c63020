import type { RunPort } from "../run/run.ts";
import { shieldRun } from "./shield-run.ts";

/** The new words of one chunk. */
export interface ChunkText {
  readonly text: string;
  readonly reasoning: string;
}

/** Knowledge of one provider's chunks, for one stream. */
export interface ChunkReader {
  /** Takes a chunk and returns its words. */
  readonly add: (chunk: unknown) => ChunkText;
  /** Records the answer; `false` if the stream ended before the model did. */
  readonly recordAnswer: () => boolean;
  readonly recordFailure: (error: unknown) => void;
  /** True for a chunk the caller did not ask for. @default none */
  readonly isHidden?: (chunk: unknown) => boolean;
}

/** A stream of the providers' libraries. */
interface LibraryStream extends AsyncIterable<unknown> {
  iterator?: () => AsyncIterator<unknown>;
  readonly controller?: { readonly abort: () => void };
}

const SILENT: ChunkText = { text: "", reasoning: "" };

/**
 * Records a stream while the caller reads it: text as it arrives, the answer at the end. A stop of the run ends the
 * stream. Returns the same stream object.
 */
export function watchChunks<TStream extends AsyncIterable<unknown>>(
  run: RunPort,
  stream: TStream,
  createReader: () => ChunkReader,
): TStream {
  const watched = stream as TStream & LibraryStream;
  const original = (watched.iterator ?? watched[Symbol.asyncIterator]).bind(watched) as () => AsyncIterator<unknown>;
  const iterate = () =>
    readChunks(run, original(), { reader: createReader(), abort: () => watched.controller?.abort() });
  // The libraries' `tee()` and `toReadableStream()` read `iterator`; `for await` reads `Symbol.asyncIterator`.
  if (watched.iterator === undefined)
    Object.defineProperty(watched, Symbol.asyncIterator, { value: iterate, configurable: true });
  else watched.iterator = iterate;
  return stream;
}

async function* readChunks(
  run: RunPort,
  iterator: AsyncIterator<unknown>,
  { reader, abort }: { readonly reader: ChunkReader; readonly abort: () => void },
): AsyncGenerator<unknown, void> {
  const { attempt, text } = shieldRun(run);
  const { add, recordAnswer, recordFailure, isHidden } = reader;
  let settled = false;
  try {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      const chunk = next.value;
      const said = attempt("watchStream", () => add(chunk), SILENT);
      const stop =
        (said.reasoning !== "" && text(said.reasoning, { stream: "reasoning" }).stop) ||
        (said.text !== "" && text(said.text).stop);
      if (isHidden?.(chunk) !== true) yield chunk;
      if (stop) {
        abort();
        break;
      }
    }
    settled = true;
    if (!attempt("watchStream", recordAnswer, false)) recordFailure(endedEarly());
  } catch (error) {
    settled = true;
    recordFailure(error);
    throw error;
  } finally {
    if (!settled) {
      // The reader stopped early, so the answer is not complete.
      recordFailure(endedEarly());
      await iterator.return?.();
    }
  }
}

function endedEarly(): Error {
  return Object.assign(new Error("The stream ended before the model did."), { name: "AbortError" });
}
