import type { RunEvent } from "@phasekit/core";
import type { RunStore } from "@phasekit/ledger";

/** A piece of a log, ready to be sent: the events after one sequence number up to another, one per line. */
interface FeedChunk {
  readonly bytes: Buffer;
  /** The last event in it. */
  readonly seq: number;
}

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

/** The size of a piece; a larger event is a piece of its own. */
const CHUNK_BYTES = 64 * 1024;
/** How far one reading of the store goes. */
const READ_BYTES = 1024 * 1024;

interface Feed {
  readonly run: string;
  followers: number;
  /** The end of the log, once it was reached: from there the store reports what is new. */
  end: number | undefined;
  isOver: boolean;
  failure: { readonly error: unknown } | undefined;
  readonly waiting: Set<() => void>;
  /** The reading under way. */
  reading: Promise<FeedChunk | undefined> | undefined;
  tail: AsyncIterator<readonly RunEvent[]> | undefined;
}

/** Creates the feeds of a store. */
export function createRunFeeds({ store, clean, maxBytes = 16 * 1024 * 1024 }: RunFeedOptions): RunFeeds {
  const feeds = new Map<string, Feed>();
  /** Pieces by run and by the event they begin after, the oldest first. */
  const chunks = new Map<string, FeedChunk>();
  let bytes = 0;

  const keyOf = (run: string, after: number): string => `${String(after)} ${run}`;

  function keep(run: string, after: number, chunk: FeedChunk): void {
    drop(keyOf(run, after));
    chunks.set(keyOf(run, after), chunk);
    bytes += chunk.bytes.length;
    for (const key of chunks.keys()) {
      if (bytes <= maxBytes || chunks.size === 1) break;
      drop(key);
    }
  }

  function drop(key: string): void {
    bytes -= chunks.get(key)?.bytes.length ?? 0;
    chunks.delete(key);
  }

  /** Cuts events into pieces, keeps them, and returns them. */
  function add(run: string, events: readonly RunEvent[]): readonly FeedChunk[] {
    const added: FeedChunk[] = [];
    let lines: string[] = [];
    let length = 0;
    let after = (events[0]?.seq ?? 1) - 1;
    const close = (seq: number): void => {
      if (lines.length === 0) return;
      const chunk = { bytes: Buffer.from(lines.join("")), seq };
      keep(run, after, chunk);
      added.push(chunk);
      lines = [];
      length = 0;
      after = seq;
    };
    for (const event of events) {
      const line = `${JSON.stringify(clean(event))}\n`;
      if (length + line.length > CHUNK_BYTES) close(event.seq - 1);
      lines.push(line);
      length += line.length;
    }
    close(events.at(-1)?.seq ?? after);
    return added;
  }

  function wake(feed: Feed): void {
    const waiting = [...feed.waiting];
    feed.waiting.clear();
    for (const go of waiting) go();
  }

  /** Reads on from an event, and returns the first piece. At the end of the log, the store reports what is new. */
  async function read(feed: Feed, after: number): Promise<FeedChunk | undefined> {
    let first: FeedChunk | undefined;
    let found = 0;
    for await (const events of store.read(feed.run, { after })) {
      if (feed.followers === 0) return undefined;
      const added = add(feed.run, events);
      first ??= added[0];
      for (const chunk of added) found += chunk.bytes.length;
      if (found >= Math.min(READ_BYTES, maxBytes / 2)) break;
    }
    if (first !== undefined || feed.followers === 0) return first;
    // Events that were there are gone: the run was removed.
    if (feed.end !== undefined) feed.isOver = true;
    feed.end = after;
    if (feed.tail === undefined) void watch(feed, after);
    return undefined;
  }

  async function watch(feed: Feed, after: number): Promise<void> {
    try {
      const tail = store.tail?.(feed.run, { after })[Symbol.asyncIterator]();
      feed.tail = tail;
      for (let next = await tail?.next(); next !== undefined && next.done !== true; next = await tail?.next()) {
        if (feed.followers === 0) return;
        add(feed.run, next.value);
        feed.end = next.value.at(-1)?.seq ?? feed.end;
        wake(feed);
      }
    } catch (error) {
      feed.failure = { error };
    }
    feed.isOver = true;
    wake(feed);
  }

  /** One reading at a time: the others wait for it, and then look for their piece. */
  async function readOnce(feed: Feed, after: number): Promise<FeedChunk | undefined> {
    if (feed.reading !== undefined) {
      await feed.reading.catch(() => undefined);
      return undefined;
    }
    feed.reading = read(feed, after);
    try {
      return await feed.reading;
    } finally {
      feed.reading = undefined;
    }
  }

  function open(run: string): Feed {
    const feed = feeds.get(run) ?? {
      run,
      followers: 0,
      end: undefined,
      isOver: false,
      failure: undefined,
      waiting: new Set(),
      reading: undefined,
      tail: undefined,
    };
    feeds.set(run, feed);
    feed.followers += 1;
    return feed;
  }

  function close(feed: Feed): void {
    feed.followers -= 1;
    if (feed.followers > 0) return;
    if (feeds.get(feed.run) === feed) feeds.delete(feed.run);
    for (const key of [...chunks.keys()]) if (key.slice(key.indexOf(" ") + 1) === feed.run) drop(key);
    void feed.tail?.return?.();
  }

  return {
    size: () => ({ bytes, runs: feeds.size }),
    follow: (run) => {
      const feed = open(run);
      let after = 0;
      let isOpen = true;
      let stop = (): void => undefined;
      return {
        next: async () => {
          while (isOpen) {
            const mayRead = feed.end === undefined || after < feed.end;
            const chunk = chunks.get(keyOf(run, after)) ?? (mayRead ? await readOnce(feed, after) : undefined);
            if (chunk !== undefined) {
              after = chunk.seq;
              return chunk;
            }
            if (feed.failure !== undefined) throw feed.failure.error;
            if (mayRead) continue;
            if (feed.isOver) return undefined;
            await new Promise<void>((resolve) => {
              stop = resolve;
              feed.waiting.add(resolve);
            });
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
