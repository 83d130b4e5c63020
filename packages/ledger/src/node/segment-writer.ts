import { defined } from "@phasekit/core/adapter";
import { join } from "node:path";
import type { FileSystem } from "./file-system.ts";
import { COMMIT_ROOM } from "./line-buffer.ts";
import type { RunFolder } from "./run-folder.ts";
import { ANCHOR_EVERY, chainSeed, encodeMark, MARK_BYTES, type SegmentHeader, segmentName } from "./segment-format.ts";
import { writeCommit } from "./write-commit.ts";

/** Where a segment continues from: the end of the log in the one before it. */
export interface SegmentPlace {
  readonly after: number;
  readonly previous: SegmentHeader["previous"];
  readonly recovered: SegmentHeader["recovered"];
}

/** A file this process created and writes. */
export interface Segment {
  readonly name: string;
  readonly file: number;
  readonly bytes: () => number;
  /**
   * Writes the lines of events and their commit line with one call. The commit line goes into the `COMMIT_ROOM` bytes
   * behind the lines. Throws when not all of it was taken.
   */
  readonly write: (lines: Buffer, upTo: { readonly last: number; readonly durable: number }) => void;
  readonly sync: () => void;
  /** The problem with the file under its name; `undefined` while everything that was written is there. */
  readonly problem: () => string | undefined;
  /** The link for a segment that follows this one, behind an event. */
  readonly place: (seq: number) => SegmentPlace;
  /** Notes how far it is on the disk. Best effort: it only makes the next opening cheaper and losses visible. */
  readonly mark: (at: SegmentPlace) => void;
  readonly close: () => void;
}

interface CreateOptions {
  readonly files: FileSystem;
  readonly clock: () => number;
  readonly folder: RunFolder;
  readonly run: string;
}

/** Creates a segment: exclusively, with its header on the disk before anything else. */
export function createSegment(
  options0: CreateOptions,
  options: SegmentPlace & { readonly epoch: number; readonly part: number; readonly writer: string },
): Segment {
  return new WrittenSegment(options0, options);
}

class WrittenSegment implements Segment {
  readonly #files: FileSystem;
  readonly name: string;
  readonly #path: string;
  readonly #seed: number;
  readonly file: number;
  readonly #id: string | undefined;
  #markFile: number | undefined;
  #marks = 0;
  #bytes = 0;
  #chain: number;
  #seq: number;
  #lastAnchor = 0;
  #saidDurable: number;
  #closed = false;

  constructor(
    { files, clock, folder, run }: CreateOptions,
    {
      after,
      previous,
      recovered,
      epoch,
      part,
      writer,
    }: SegmentPlace & { readonly epoch: number; readonly part: number; readonly writer: string },
  ) {
    this.#files = files;
    this.name = segmentName({ epoch, part });
    this.#path = join(folder.log, this.name);
    this.#seed = chainSeed(run, this.name);
    this.file = files.create(this.#path, { appends: true });
    this.#id = files.idOf?.(this.file);
    this.#chain = this.#seed;
    this.#seq = after;
    this.#saidDurable = after;
    const header: SegmentHeader = {
      k: "^",
      v: 2,
      run,
      epoch,
      part,
      writer,
      at: clock(),
      after,
      ...defined({ previous, recovered }),
    };
    try {
      this.#put(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), Buffer.alloc(COMMIT_ROOM)]), {
        last: after,
        durable: after,
        anchor: true,
      });
      files.sync(this.file);
    } catch (error) {
      files.close(this.file);
      throw error;
    }
  }

  readonly bytes: Segment["bytes"] = () => this.#bytes;

  readonly write: Segment["write"] = (lines, { last, durable }) =>
    this.#put(lines, {
      last,
      durable,
      anchor: this.#bytes + lines.length - COMMIT_ROOM - this.#lastAnchor >= ANCHOR_EVERY,
    });

  readonly sync: Segment["sync"] = () => this.#files.sync(this.file);

  /** Bytes of others behind ours, or fewer than ours: every write went to the end of the file, so the size tells. */
  readonly problem = (): string | undefined => {
    const stats = this.#files.stat(this.#path);
    if (stats === undefined) return "it was removed or renamed";
    if (stats.kind !== "file" || (this.#id !== undefined && stats.id !== undefined && stats.id !== this.#id))
      return "another file has its name";
    if (stats.size === this.#bytes) return undefined;
    return `it has ${String(stats.size)} bytes, ${String(this.#bytes)} were written`;
  };

  readonly place: Segment["place"] = (at) => ({
    after: at,
    previous: { segment: this.name, bytes: this.#bytes, seq: this.#seq, chain: this.#chain },
    recovered: undefined,
  });

  readonly mark: Segment["mark"] = ({ previous: at }) => {
    if (at === undefined || this.#closed) return;
    try {
      this.#markFile ??= this.#files.create(`${this.#path}.durable`);
      this.#files.write(
        this.#markFile,
        encodeMark({ seq: at.seq, bytes: at.bytes }, this.#seed),
        (this.#marks++ % 2) * MARK_BYTES,
      );
    } catch {
      // A missing mark costs time at the next opening, nothing else.
    }
  };

  readonly close: Segment["close"] = () => {
    if (this.#closed) return;
    this.#closed = true;
    for (const open of [this.file, this.#markFile]) {
      try {
        if (open !== undefined) this.#files.close(open);
      } catch {
        // Acknowledged events are written; there is nothing left to save here.
      }
    }
  };

  /** Writes lines and the one that commits them. */
  #put(
    lines: Buffer,
    { last, durable, anchor }: { readonly last: number; readonly durable: number; readonly anchor: boolean },
  ): void {
    const length = lines.length - COMMIT_ROOM;
    const { end: total, chain: next } = writeCommit(lines, length, {
      seq: last,
      count: last - this.#seq,
      durable: anchor || durable !== this.#saidDurable ? durable : undefined,
      anchorAt: anchor ? this.#bytes + length : undefined,
      chain: this.#chain,
      seed: this.#seed,
    });
    const written = this.#files.write(this.file, lines.subarray(0, total));
    if (written !== total)
      throw Object.assign(new Error(`only ${String(written)} of ${String(total)} bytes were written`), {
        code: "ESHORT",
      });
    this.#bytes += total;
    this.#chain = next;
    this.#seq = last;
    this.#saidDurable = durable;
    if (anchor) this.#lastAnchor = this.#bytes;
  }
}
