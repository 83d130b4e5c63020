import type { RunEvent } from "@phasekit/core";
import type { RunStore } from "@phasekit/ledger";
import { ChunkCache, type FeedChunk } from "./chunk-cache.ts";

/** One reader of a run. It keeps a place in the log and no events. */
export interface FeedFollower {
  /** The next piece; waits for one while the run continues. `undefined` when there are no more, or after `leave`. */
  readonly next: () => Promise<FeedChunk | undefined>;
  readonly leave: () => void;
}

/** The logs that pages follow. All readers of a run share its pieces, so their number costs next to nothing. */
export interface RunFeeds {
  readonly follow: (run: string) => FeedFollower;
  /** The bytes that are kept, and the runs that are followed. */
  readonly size: () => { readonly bytes: number; readonly runs: number };
}

interface RunFeedOptions {
  readonly store: Pick<RunStore, "read" | "tail">;
  /** Removes secrets. */
  readonly clean: (event: RunEvent) => RunEvent;
  /** Bytes of the pieces that are kept for all runs. Others are read again. @default 16 MiB */
  readonly maxBytes?: number;
}

/** How far one reading of the store goes. */
const READ_BYTES = 1024 * 1024;

/** Creates the feeds of a store. */
export function createRunFeeds({ store, clean, maxBytes = 16 * 1024 * 1024 }: RunFeedOptions): RunFeeds {
  const feeds = new Map<string, Feed>();
  const chunks = new ChunkCache({ maxBytes, clean });
  const readBytes = Math.min(READ_BYTES, maxBytes / 2);

  function open(run: string): Feed {
    const feed = feeds.get(run) ?? new Feed(run, { store, chunks, readBytes });
    feeds.set(run, feed);
    feed.followers += 1;
    return feed;
  }

  function close(feed: Feed): void {
    feed.followers -= 1;
    if (feed.followers > 0) return;
    if (feeds.get(feed.run) === feed) feeds.delete(feed.run);
    chunks.drop(feed.run);
    feed.stop();
  }

  return {
    size: () => ({ bytes: chunks.bytes, runs: feeds.size }),
    follow: (run) => {
      const feed = open(run);
      let after = 0;
      let isOpen = true;
      let stop = (): void => undefined;
      const pause = (): Promise<undefined> =>
        new Promise((resolve) => {
          stop = () => resolve(undefined);
          feed.waiting.add(stop);
        });
      return {
        next: async () => {
          while (isOpen) {
            const found = feed.look(after);
            if (found === "over") return undefined;
            const chunk = found === "wait" ? await pause() : found === "read" ? await feed.read(after) : found;
            if (chunk === undefined) continue;
            after = chunk.seq;
            return chunk;
          }
          return undefined;
        },
        leave: () => {
          if (!isOpen) return;
          isOpen = false;
          feed.waiting.delete(stop);
          stop();
          close(feed);
        },
      };
    },
  };
}

/** The log of one run, for all who follow it. */
class Feed {
  readonly run: string;
  /** Called when there is something new, or nothing will come any more. */
  readonly waiting = new Set<() => void>();
  followers = 0;
  readonly #store: RunFeedOptions["store"];
  readonly #chunks: ChunkCache;
  readonly #readBytes: number;
  /** The end of the log, once it was reached: from there the store reports what is new. */
  #end: number | undefined;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  /** The reading under way. */
  #reading: Promise<FeedChunk | undefined> | undefined;
  #tail: AsyncIterator<readonly RunEvent[]> | undefined;

  constructor(
    run: string,
    {
      store,
      chunks,
      readBytes,
    }: { readonly store: RunFeedOptions["store"]; readonly chunks: ChunkCache; readonly readBytes: number },
  ) {
    this.run = run;
    this.#store = store;
    this.#chunks = chunks;
    this.#readBytes = readBytes;
  }

  /**
   * Returns the piece after an event, or what a follower is to do instead. Not a promise: what is new between this
   * answer and the begin of a wait would wake no follower.
   */
  look(seq: number): FeedChunk | "read" | "wait" | "over" {
    const chunk = this.#chunks.get(this.run, seq);
    if (chunk !== undefined) return chunk;
    if (this.#end === undefined || seq < this.#end) return "read";
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#isOver ? "over" : "wait";
  }

  /** Reads the piece after an event. One reading at a time: the others wait for it, and then look for their piece. */
  async read(seq: number): Promise<FeedChunk | undefined> {
    if (this.#reading !== undefined) await this.#reading.catch(() => undefined);
    else {
      this.#reading = this.#readOn(seq);
      try {
        const chunk = await this.#reading;
        if (chunk !== undefined) return chunk;
      } finally {
        this.#reading = undefined;
      }
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return undefined;
  }

  stop(): void {
    void this.#tail?.return?.();
  }

  /** Reads on from an event, and returns the first piece. At the end of the log, the store reports what is new. */
  async #readOn(after: number): Promise<FeedChunk | undefined> {
    let first: FeedChunk | undefined;
    let found = 0;
    for await (const events of this.#store.read(this.run, { after })) {
      if (this.followers === 0) return undefined;
      const added = this.#chunks.add(this.run, events);
      first ??= added[0];
      for (const chunk of added) found += chunk.bytes.length;
      if (found >= this.#readBytes) break;
    }
    if (first !== undefined || this.followers === 0) return first;
    // Events that were there are gone: the run was removed.
    if (this.#end !== undefined) this.#isOver = true;
    this.#end = after;
    if (this.#tail === undefined) void this.#watch(after);
    return undefined;
  }

  async #watch(after: number): Promise<void> {
    try {
      const tail = this.#store.tail?.(this.run, { after })[Symbol.asyncIterator]();
      this.#tail = tail;
      for (let next = await tail?.next(); next !== undefined && next.done !== true; next = await tail?.next()) {
        if (this.followers === 0) return;
        this.#chunks.add(this.run, next.value);
        this.#end = next.value.at(-1)?.seq ?? this.#end;
        this.#wake();
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#isOver = true;
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const go of waiting) go();
  }
}
