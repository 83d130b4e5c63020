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
  { files, clock, folder, run }: CreateOptions,
  {
    after,
    previous,
    recovered,
    epoch,
    part,
    writer,
  }: SegmentPlace & { readonly epoch: number; readonly part: number; readonly writer: string },
): Segment {
  const name = segmentName({ epoch, part });
  const path = join(folder.log, name);
  const seed = chainSeed(run, name);
  const file = files.create(path, { appends: true });
  const id = files.idOf?.(file);
  let markFile: number | undefined;
  let marks = 0;
  let bytes = 0;
  let chain = seed;
  let seq = after;
  let lastAnchor = 0;
  let saidDurable = after;
  let closed = false;

  /** Writes lines and the one that commits them. */
  function put(
    lines: Buffer,
    { last, durable, anchor }: { readonly last: number; readonly durable: number; readonly anchor: boolean },
  ): void {
    const length = lines.length - COMMIT_ROOM;
    const { end: total, chain: next } = writeCommit(lines, length, {
      seq: last,
      count: last - seq,
      durable: anchor || durable !== saidDurable ? durable : undefined,
      anchorAt: anchor ? bytes + length : undefined,
      chain,
      seed,
    });
    const written = files.write(file, lines.subarray(0, total));
    if (written !== total)
      throw Object.assign(new Error(`only ${String(written)} of ${String(total)} bytes were written`), {
        code: "ESHORT",
      });
    bytes += total;
    chain = next;
    seq = last;
    saidDurable = durable;
    if (anchor) lastAnchor = bytes;
  }

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
    put(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), Buffer.alloc(COMMIT_ROOM)]), {
      last: after,
      durable: after,
      anchor: true,
    });
    files.sync(file);
  } catch (error) {
    files.close(file);
    throw error;
  }

  /** Bytes of others behind ours, or fewer than ours: every write went to the end of the file, so the size tells. */
  function problem(): string | undefined {
    const stats = files.stat(path);
    if (stats === undefined) return "it was removed or renamed";
    if (stats.kind !== "file" || (id !== undefined && stats.id !== undefined && stats.id !== id))
      return "another file has its name";
    if (stats.size === bytes) return undefined;
    return `it has ${String(stats.size)} bytes, ${String(bytes)} were written`;
  }

  return {
    name,
    file,
    bytes: () => bytes,
    write: (lines, { last, durable }) =>
      put(lines, { last, durable, anchor: bytes + lines.length - COMMIT_ROOM - lastAnchor >= ANCHOR_EVERY }),
    sync: () => files.sync(file),
    problem,
    place: (at) => ({ after: at, previous: { segment: name, bytes, seq, chain }, recovered: undefined }),
    mark: ({ previous: at }) => {
      if (at === undefined || closed) return;
      try {
        markFile ??= files.create(`${path}.durable`);
        files.write(markFile, encodeMark({ seq: at.seq, bytes: at.bytes }, seed), (marks++ % 2) * MARK_BYTES);
      } catch {
        // A missing mark costs time at the next opening, nothing else.
      }
    },
    close: () => {
      if (closed) return;
      closed = true;
      for (const open of [file, markFile]) {
        try {
          if (open !== undefined) files.close(open);
        } catch {
          // Acknowledged events are written; there is nothing left to save here.
        }
      }
    },
  };
}
