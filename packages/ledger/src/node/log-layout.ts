import { join } from "node:path";
import { type FileSystem, readWhole } from "./file-system.ts";
import { notedSegments } from "./noted-segments.ts";
import {
  chainSeed,
  type DurableMark,
  parseMarks,
  parseSegmentName,
  type SegmentHeader,
  segmentName,
} from "./segment-format.ts";
import { releasedAt } from "./run-lock.ts";
import { openSegment } from "./segment-reader.ts";
import { checkRunFolder, type RunFolder } from "./run-folder.ts";

/** One segment of a run's log, in its place. */
export interface LogSegment {
  readonly name: string;
  readonly path: string;
  readonly header: SegmentHeader | undefined;
  readonly mark: DurableMark | undefined;
  /** Where the file belongs, when its header says that it is not here. */
  readonly foreign: string | undefined;
  /** As far as the segment behind it counts it; `undefined` for the newest. */
  readonly limit: number | undefined;
}

/** Which segments make up a log, and which were written past a takeover or never got a header. */
export interface LogLayout {
  readonly segments: readonly LogSegment[];
  /** Written by someone who had lost the run; readers never follow them. */
  readonly aside: readonly Omit<LogSegment, "limit">[];
  /** A segment whose mark is there while the file is gone. */
  readonly missing: readonly { readonly name: string; readonly mark: DurableMark }[];
  /** The newest segment that was begun, when there is nothing left of it. */
  readonly gone: string | undefined;
  /** The last event that was on the disk when the run was let go the last time. */
  readonly released: number;
}

/**
 * Reads only headers and marks. The newest segment says which one it continues, that one says the same, and so on:
 * what is not on this chain was written by someone who had lost the run. Marks are read before any segment is, so that
 * a writer who continues meanwhile is never taken for damage.
 */
export function readLayout(files: FileSystem, folder: RunFolder, run: string): LogLayout {
  checkRunFolder(files, folder);
  const newest = notedSegments(files, folder).at(-1);
  const released = releasedAt(files, folder);
  const names = files.names(folder.log);
  const all = names
    .filter((name) => parseSegmentName(name) !== undefined)
    .map((name) => {
      const path = join(folder.log, name);
      if (files.stat(path)?.kind !== "file")
        return { name, path, mark: undefined, header: undefined, foreign: NOT_A_FILE, hasCommits: false };
      const mark = readMark(files, `${path}.durable`, chainSeed(run, name));
      return { name, path, mark, ...readHeader(files, path, { run, name }) };
    });
  const missing = names
    .filter((name) => name.endsWith(".jsonl.durable") && !names.includes(name.slice(0, -8)))
    .flatMap((name) => {
      const mark = readMark(files, join(folder.log, name), chainSeed(run, name.slice(0, -8)));
      return mark === undefined ? [] : [{ name: name.slice(0, -8), mark }];
    });

  const marked = new Set(missing.map(({ name }) => name));
  const isThere = (found: (typeof all)[number], name: string): boolean =>
    found.name === name &&
    (found.header !== undefined || found.mark !== undefined || found.hasCommits || found.foreign !== undefined);
  const chain: LogSegment[] = [];
  const aside: Omit<LogSegment, "limit">[] = [];
  let wanted: { readonly segment: string; readonly bytes: number } | undefined;
  for (const segment of all.reverse()) {
    const { hasCommits, ...placed } = segment;
    // A mark is written only after the header is on the disk.
    const isWanted =
      chain.length === 0
        ? placed.header !== undefined || placed.mark !== undefined || placed.foreign !== undefined || hasCommits
        : wanted === undefined
          ? true
          : wanted.segment === placed.name;
    if (!isWanted) {
      aside.push(placed);
      continue;
    }
    chain.push({ ...placed, limit: wanted?.bytes });
    if (placed.header !== undefined && placed.header.previous === undefined) {
      wanted = { segment: "", bytes: 0 };
      continue;
    }
    wanted = placed.header?.previous;
  }
  // It was noted when its header was on the disk.
  const isGone = newest !== undefined && !marked.has(newest) && !all.some((found) => isThere(found, newest));
  return { segments: chain.reverse(), aside: aside.reverse(), missing, gone: isGone ? newest : undefined, released };
}

/** A link, a pipe, a folder: never opened. */
export const NOT_A_FILE = "it is not a file";

function readHeader(
  files: FileSystem,
  path: string,
  { run, name }: { readonly run: string; readonly name: string },
): {
  readonly header: SegmentHeader | undefined;
  readonly foreign: string | undefined;
  readonly hasCommits: boolean;
} {
  const reader = openSegment(files, path, { run, name });
  try {
    const first = reader.flushes().next();
    const header = first.done === true ? undefined : first.value.header;
    const foreign = header === undefined ? foreignPlace(readWhole(files, path, 64 * 1024), { run, name }) : undefined;
    return { header, foreign, hasCommits: header !== undefined || reader.looksWritten() };
  } finally {
    reader.close();
  }
}

/** The run and place that the first line of a file names, if they are not these. */
function foreignPlace(
  bytes: Buffer,
  { run, name }: { readonly run: string; readonly name: string },
): string | undefined {
  try {
    const line = bytes.toString("utf8", 0, Math.max(0, bytes.indexOf("\n")));
    const header = JSON.parse(line) as Partial<SegmentHeader>;
    if (header.k !== "^" || typeof header.epoch !== "number" || typeof header.part !== "number") return undefined;
    const own = segmentName({ epoch: header.epoch, part: header.part });
    if (header.run !== run) return `it is the file "${own}" of run ${JSON.stringify(header.run)}`;
    return own === name ? undefined : `it is the file "${own}"`;
  } catch {
    return undefined;
  }
}

function readMark(files: FileSystem, path: string, seed: number): DurableMark | undefined {
  if (files.stat(path)?.kind !== "file") return undefined;
  return parseMarks(readWhole(files, path, 1024), seed);
}
