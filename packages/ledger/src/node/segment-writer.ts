import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { FileSystem } from "./file-system.ts";
import type { RunFolder } from "./run-folder.ts";
import { ANCHOR_EVERY, chainSeed, commitHead, commitTail, encodeMark, MARK_BYTES, type SegmentHeader, segmentName } from "./segment-format.ts";
import type { Step } from "./unsynced-steps.ts";

/** Where a segment goes on from: the end of the log in the one before it. */
export interface SegmentPlace {
  readonly after: number;
  readonly previous: SegmentHeader["previous"];
  readonly recovered: SegmentHeader["recovered"];
}

/** A file this process created and writes. */
export interface Segment {
  readonly file: number;
  readonly bytes: () => number;
  /** Writes events and their commit line with one call. Throws when not all of it was taken. */
  readonly write: (taken: readonly Step[], durable: number) => void;
  readonly sync: () => void;
  /** What a segment that follows this one, behind an event, needs to know. */
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

const NEWLINE = 10;
let shared = Buffer.allocUnsafe(256 * 1024);

/** Three bytes is the most that a UTF-16 unit takes; the commit line is short. */
function makeRoom(texts: readonly { readonly text: string }[]): void {
  let room = 256;
  for (const { text } of texts) room += text.length * 3 + 1;
  if (shared.length < room) shared = Buffer.allocUnsafe(room);
}

/** Creates a segment: exclusively, with its header on the disk before anything else. */
export function createSegment(
  { files, clock, folder, run }: CreateOptions,
  { after, previous, recovered, epoch, part, writer }: SegmentPlace & { readonly epoch: number; readonly part: number; readonly writer: string },
): Segment {
  const name = segmentName({ epoch, part });
  const path = join(folder.log, name);
  const seed = chainSeed(run, name);
  const file = files.create(path);
  let markFile: number | undefined;
  let marks = 0;
  let bytes = 0;
  let chain = seed;
  let seq = after;
  let lastAnchor = 0;
  let saidDurable = after;
  let closed = false;

  /** Writes texts, each as a line or several, and the line that commits them. */
  function put(texts: readonly { readonly text: string }[], { count, last, durable, anchor }: { readonly count: number; readonly last: number; readonly durable: number; readonly anchor: boolean }): void {
    makeRoom(texts);
    let length = 0;
    for (const { text } of texts) {
      length += shared.write(text, length, "utf8");
      shared[length] = NEWLINE;
      length += 1;
    }
    const head = commitHead({ seq: last, count, durable: anchor || durable !== saidDurable ? durable : undefined, anchorAt: anchor ? bytes + length : undefined });
    const headEnd = length + shared.write(head, length, "latin1");
    const { tail, chain: next } = commitTail(head, { sum: crc32(shared.subarray(0, headEnd), chain), seed, anchor });
    const total = headEnd + shared.write(tail, headEnd, "latin1");
    const written = files.write(file, shared.subarray(0, total));
    if (written !== total) throw Object.assign(new Error(`only ${String(written)} of ${String(total)} bytes were written`), { code: "ESHORT" });
    bytes += total;
    chain = next;
    seq = last;
    saidDurable = durable;
    if (anchor) lastAnchor = bytes;
  }

  const header: SegmentHeader = {
    k: "^", v: 2, run, epoch, part, writer, at: clock(), after,
    ...(previous !== undefined && { previous }),
    ...(recovered !== undefined && { recovered }),
  };
  try {
    put([{ text: JSON.stringify(header) }], { count: 0, last: after, durable: after, anchor: true });
    files.sync(file);
  } catch (error) {
    files.close(file);
    throw error;
  }

  return {
    file,
    bytes: () => bytes,
    write: (taken, durable) => {
      let size = 0;
      for (const { text } of taken) size += text.length;
      const last = taken.at(-1)?.last ?? seq;
      put(taken, { count: last - seq, last, durable, anchor: bytes + size - lastAnchor >= ANCHOR_EVERY });
    },
    sync: () => files.sync(file),
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
          // What was acknowledged is written; there is nothing left to save here.
        }
      }
    },
  };
}
