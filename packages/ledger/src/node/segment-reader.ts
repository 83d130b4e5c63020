import { crc32 } from "node:zlib";
import { type FileSystem, readFully } from "./file-system.ts";
import { ANCHOR, chainSeed, type Commit, CONTROL, parseCommit, type SegmentHeader } from "./segment-format.ts";

/** One flush that verified: where it ends, and the bytes of its events. */
interface Flush extends Commit {
  /** The byte behind its commit line. */
  readonly end: number;
  /** The lines of its events, each with its line end; valid until the next flush is asked for. */
  readonly lines: Buffer;
  /** Of the first flush of a segment, which holds nothing else. */
  readonly header: SegmentHeader | undefined;
}

/** Where a segment stops being valid, and why. */
export interface SegmentEnd {
  readonly end: number;
  readonly seq: number;
  readonly chain: number;
  /** The highest event that any commit line calls durable. */
  readonly durable: number;
  /** Bytes behind the valid end; 0 when all of it verified. */
  readonly rest: number;
}

/** Where to begin: the start of the segment, or behind an anchor. */
export interface ReadingPoint {
  readonly at: number;
  readonly seq: number;
  readonly chain: number;
}

interface Anchor extends ReadingPoint {
  /** The events of its flush. */
  readonly count: number;
}

const CHUNK = 256 * 1024;
const MAX_FLUSH = 80 * 1024 * 1024;
const NEWLINE = 10;
const COMMITTED = Buffer.from('\n{"k":"#"');

/** A segment open for reading; it never changes a byte and takes no lock. */
export interface SegmentReader {
  readonly size: number;
  /** Verifies flush by flush from a point to the limit; returns where validity ends. */
  readonly flushes: (from?: ReadingPoint, limit?: number) => Generator<Flush, SegmentEnd, undefined>;
  /** The first anchor at or behind a byte that vouches for itself. */
  readonly nextAnchor: (from: number) => ReadingPoint | undefined;
  /** The last anchor in front of a byte that vouches for itself. */
  readonly lastAnchor: (before: number) => ReadingPoint | undefined;
  /** True if any event was ever committed to it, however damaged it is now. */
  readonly looksWritten: () => boolean;
  readonly close: () => void;
}

interface OpenSegmentOptions {
  readonly run: string;
  readonly name: string;
}

export function openSegment(files: FileSystem, path: string, options: OpenSegmentOptions): SegmentReader {
  return new OpenSegment(files, path, options);
}

class OpenSegment implements SegmentReader {
  readonly #files: FileSystem;
  readonly #run: string;
  readonly #file: number;
  readonly size: number;
  readonly #seed: number;

  constructor(files: FileSystem, path: string, { run, name }: OpenSegmentOptions) {
    this.#files = files;
    this.#run = run;
    this.#file = files.openToRead(path);
    this.size = files.size(this.#file);
    this.#seed = chainSeed(run, name);
  }

  readonly flushes: SegmentReader["flushes"] = (from, limit) => this.#flushes(from, limit);

  readonly nextAnchor = (from: number): Anchor | undefined => {
    for (let base = Math.max(0, from - 1); base < this.size; base += CHUNK) {
      const bytes = Buffer.allocUnsafe(Math.min(CHUNK + 256, this.size - base));
      const whole = bytes.subarray(0, readFully(this.#files, this.#file, { into: bytes, position: base }));
      for (let at = whole.indexOf(ANCHOR); at >= 0; at = whole.indexOf(ANCHOR, at + 1)) {
        const point = this.#anchorIn(whole, { base, from: at });
        if (point !== undefined) return point;
      }
    }
    return undefined;
  };

  readonly lastAnchor = (before: number): ReadingPoint | undefined => {
    for (let top = Math.min(before, this.size); top > 0; top -= CHUNK) {
      const base = Math.max(0, top - CHUNK - 256);
      const bytes = Buffer.allocUnsafe(top - base);
      const whole = bytes.subarray(0, readFully(this.#files, this.#file, { into: bytes, position: base }));
      for (let at = whole.lastIndexOf(ANCHOR); at >= 0; at = at === 0 ? -1 : whole.lastIndexOf(ANCHOR, at - 1)) {
        const point = this.#anchorIn(whole, { base, from: at });
        if (point !== undefined) return point;
      }
    }
    return undefined;
  };

  readonly looksWritten = (): boolean => {
    const bytes = Buffer.allocUnsafe(Math.min(this.size, 4 * CHUNK));
    if (bytes.subarray(0, readFully(this.#files, this.#file, { into: bytes, position: 0 })).includes(COMMITTED))
      return true;
    // The anchor of the header commits no event: it may be what a power cut left of a header that was being written.
    let anchor = this.nextAnchor(1);
    while (anchor?.count === 0) anchor = this.nextAnchor(anchor.at);
    return anchor !== undefined;
  };

  readonly close: SegmentReader["close"] = () => this.#files.close(this.#file);

  *#flushes(
    from: ReadingPoint = { at: 0, seq: -1, chain: this.#seed },
    limit: number = this.size,
  ): Generator<Flush, SegmentEnd, undefined> {
    let buffer = Buffer.alloc(0);
    let base = from.at;
    let { seq, chain } = from;
    let start = 0;
    let searched = 0;
    let durable = 0;
    let end = from.at;
    const stop = (): SegmentEnd => ({
      end,
      seq: Math.max(seq, 0),
      chain,
      durable,
      rest: Math.min(limit, this.size) - end,
    });

    /** Reads on behind what is not consumed yet; false at the end of what may be read. */
    const grow = (): boolean => {
      const kept = buffer.subarray(start);
      const wanted = Math.min(Math.max(CHUNK, kept.length), limit - base - buffer.length);
      if (wanted <= 0 || kept.length > MAX_FLUSH) return false;
      const grown = Buffer.allocUnsafe(kept.length + wanted);
      kept.copy(grown);
      const count = readFully(this.#files, this.#file, {
        into: grown.subarray(kept.length),
        position: base + buffer.length,
      });
      base += start;
      searched -= start;
      start = 0;
      buffer = grown.subarray(0, kept.length + count);
      return count > 0;
    };

    for (;;) {
      const found = commitLine(buffer, { start, searched });
      if (found === undefined || found.lineEnd < 0) {
        searched = Math.max(start, found === undefined ? buffer.length - CONTROL.length : found.lineStart - 1);
        if (!grow()) return stop();
        continue;
      }
      const { lineStart, lineEnd } = found;
      const commit = parseCommit(buffer.toString("latin1", lineStart, lineEnd), {
        at: base + lineStart,
        seed: this.#seed,
      });
      if (commit === undefined || crc32(buffer.subarray(start, lineStart + commit.checkedLength), chain) !== commit.sum)
        return stop();
      const first = base === 0 && start === 0 && from.at === 0;
      const header = first ? parseHeader(buffer.toString("utf8", 0, lineStart)) : undefined;
      if (first) {
        if (header === undefined || header.after !== commit.seq || !commit.anchor || header.run !== this.#run)
          return stop();
      } else if (commit.seq !== seq + commit.count) return stop();
      const lines = first ? buffer.subarray(0, 0) : buffer.subarray(start, lineStart);
      start = lineEnd + 1;
      searched = start;
      end = base + start;
      ({ seq, chain } = commit);
      durable = Math.max(durable, commit.durable);
      yield { ...commit, end, lines, header };
    }
  }

  #anchorIn(bytes: Buffer, { base, from }: { readonly base: number; readonly from: number }): Anchor | undefined {
    const lineStart = from + 1;
    const lineEnd = bytes.indexOf(NEWLINE, lineStart);
    if (lineEnd < 0 || lineEnd - lineStart > 200) return undefined;
    const commit = parseCommit(bytes.toString("latin1", lineStart, lineEnd), {
      at: base + lineStart,
      seed: this.#seed,
    });
    return commit?.anchor === true
      ? { at: base + lineEnd + 1, seq: commit.seq, chain: commit.chain, count: commit.count }
      : undefined;
  }
}

function commitLine(
  buffer: Buffer,
  { start, searched }: { readonly start: number; readonly searched: number },
): { readonly lineStart: number; readonly lineEnd: number } | undefined {
  // An empty flush is only its commit line.
  if (
    searched <= start &&
    buffer.length - start >= CONTROL.length - 1 &&
    buffer.compare(CONTROL, 1, CONTROL.length, start, start + CONTROL.length - 1) === 0 &&
    buffer[start + CONTROL.length - 1] !== 0x5e
  ) {
    return { lineStart: start, lineEnd: buffer.indexOf(NEWLINE, start) };
  }
  const found = buffer.indexOf(CONTROL, Math.max(start, searched));
  return found < 0 ? undefined : { lineStart: found + 1, lineEnd: buffer.indexOf(NEWLINE, found + 1) };
}

function parseHeader(line: string): SegmentHeader | undefined {
  try {
    const header = JSON.parse(line) as Partial<SegmentHeader>;
    return header.k === "^" && (header.v === 1 || header.v === 2) && typeof header.after === "number"
      ? (header as SegmentHeader)
      : undefined;
  } catch {
    return undefined;
  }
}
