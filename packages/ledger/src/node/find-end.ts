import { join } from "node:path";
import { damagedStore } from "../errors.ts";
import { type FileSystem, readFully, writeNew } from "./file-system.ts";
import { readLayout } from "./log-layout.ts";
import type { RunFolder } from "./run-folder.ts";
import { openSegment } from "./segment-reader.ts";
import type { SegmentPlace } from "./segment-writer.ts";

/** Bytes that a crash left, as much of them as is kept. */
const QUARANTINE_BYTES = 16 * 1024 * 1024;

export interface FindEndOptions {
  readonly files: FileSystem;
  readonly folder: RunFolder;
  readonly run: string;
  /** The epoch of whoever asks: what was set aside carries it in its name. */
  readonly epoch: number;
}

/**
 * The valid end of a log, for a writer that continues from there. Only what may not be on the disk yet is verified
 * again, so that it costs the same for every length. What a crash left behind the end is copied to the quarantine.
 * @throws STORE_DAMAGED when something that was on the disk is gone
 */
export function findEnd({ files, folder, run, epoch }: FindEndOptions): SegmentPlace {
  const { segments, missing, gone, released } = readLayout(files, folder, run);
  const last = segments.at(-1);
  const foreign = segments.find((segment) => segment.foreign !== undefined);
  const problem = gone === undefined ? foreign?.foreign : "the file is gone, and its mark with it";
  if (problem !== undefined) throw damagedStore(run, { segment: gone ?? foreign?.name ?? "", byte: 0, problem });
  if (last === undefined && released > 0)
    throw damagedStore(run, { segment: "log", byte: 0, problem: `events up to ${String(released)} were on the disk` });
  if (last === undefined) return { after: 0, previous: undefined, recovered: undefined };
  const reader = openSegment(files, last.path, { run, name: last.name });
  try {
    const from = last.mark === undefined || last.header === undefined ? undefined : reader.lastAnchor(last.mark.bytes);
    const flushes = reader.flushes(from);
    let next = flushes.next();
    while (next.done !== true) next = flushes.next();
    const { end, seq, chain, rest, durable } = next.value;
    const sure = Math.max(durable, released, last.mark?.seq ?? 0, ...missing.map(({ mark }) => mark.seq));
    if (last.header === undefined || sure > seq || (last.mark?.bytes ?? 0) > end) {
      throw damagedStore(run, {
        segment: last.name,
        byte: end,
        problem: `events up to ${String(sure)} were on the disk`,
      });
    }
    const recovered = rest > 0 ? { segment: last.name, from: end, bytes: rest } : undefined;
    if (recovered !== undefined) setAside({ files, folder, path: last.path, epoch }, recovered);
    return { after: seq, previous: { segment: last.name, bytes: end, seq, chain }, recovered };
  } finally {
    reader.close();
  }
}

/** Keeps a copy of bytes that are not part of the log; the file they come from is left as it is. */
function setAside(
  {
    files,
    folder,
    path,
    epoch,
  }: { readonly files: FileSystem; readonly folder: RunFolder; readonly path: string; readonly epoch: number },
  { segment, from, bytes }: { readonly segment: string; readonly from: number; readonly bytes: number },
): void {
  files.makeFolder(folder.quarantine);
  const copy = Buffer.allocUnsafe(Math.min(bytes, QUARANTINE_BYTES));
  const file = files.openToRead(path);
  try {
    const length = readFully(files, file, { into: copy, position: from });
    writeNew(
      files,
      join(folder.quarantine, `${segment}-${String(from)}-e${String(epoch)}.bin`),
      copy.subarray(0, length),
    );
  } finally {
    files.close(file);
  }
}
