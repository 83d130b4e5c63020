import type { RunEvent } from "@phasekit/core";

/** A piece of a log, ready to be sent: the events after one sequence number up to another, one per line. */
export interface FeedChunk {
  readonly bytes: Buffer;
  /** The last event in it. */
  readonly seq: number;
}

/** The size of a piece; a larger event is a piece of its own. */
const CHUNK_BYTES = 64 * 1024;

/** Pieces of the logs of all runs. The oldest go when they get too many; they can be read again. */
export class ChunkCache {
  readonly #maxBytes: number;
  readonly #clean: (event: RunEvent) => RunEvent;
  /** By run and by the event they begin after, the oldest first. */
  readonly #chunks = new Map<string, FeedChunk>();
  #bytes = 0;

  constructor({ maxBytes, clean }: { readonly maxBytes: number; readonly clean: (event: RunEvent) => RunEvent }) {
    this.#maxBytes = maxBytes;
    this.#clean = clean;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(run: string, after: number): FeedChunk | undefined {
    return this.#chunks.get(keyOf(run, after));
  }

  /** Cuts events into pieces, keeps them, and returns them. */
  add(run: string, events: readonly RunEvent[]): readonly FeedChunk[] {
    const added: FeedChunk[] = [];
    let lines: string[] = [];
    let length = 0;
    let after = (events[0]?.seq ?? 1) - 1;
    const close = (seq: number): void => {
      if (lines.length === 0) return;
      const chunk = { bytes: Buffer.from(lines.join("")), seq };
      this.#keep(keyOf(run, after), chunk);
      added.push(chunk);
      lines = [];
      length = 0;
      after = seq;
    };
    for (const event of events) {
      const line = `${JSON.stringify(this.#clean(event))}\n`;
      if (length + line.length > CHUNK_BYTES) close(event.seq - 1);
      lines.push(line);
      length += line.length;
    }
    close(events.at(-1)?.seq ?? after);
    return added;
  }

  /** Forgets the pieces of a run. */
  drop(run: string): void {
    for (const key of [...this.#chunks.keys()]) if (key.slice(key.indexOf(" ") + 1) === run) this.#remove(key);
  }

  #keep(key: string, chunk: FeedChunk): void {
    this.#remove(key);
    this.#chunks.set(key, chunk);
    this.#bytes += chunk.bytes.length;
    for (const oldest of this.#chunks.keys()) {
      if (this.#bytes <= this.#maxBytes || this.#chunks.size === 1) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#chunks.get(key)?.bytes.length ?? 0;
    this.#chunks.delete(key);
  }
}

const keyOf = (run: string, after: number): string => `${String(after)} ${run}`;
