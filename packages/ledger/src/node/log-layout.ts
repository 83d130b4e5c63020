import { join } from "node:path";
import { type FileSystem, readWhole } from "./file-system.ts";
import { chainSeed, type DurableMark, parseMarks, parseSegmentName, type SegmentHeader } from "./segment-format.ts";
import { openSegment } from "./segment-reader.ts";
import type { RunFolder } from "./run-folder.ts";

/** One segment of a run's log, in its place. */
export interface Placed {
  readonly name: string;
  readonly path: string;
  readonly header: SegmentHeader | undefined;
  readonly mark: DurableMark | undefined;
  /** As far as the segment behind it counts it; `undefined` for the newest. */
  readonly limit: number | undefined;
}

/** Which segments make up a log, and which were written past a takeover or never got a header. */
export interface LogLayout {
  readonly segments: readonly Placed[];
  /** Written by someone who had lost the run; readers never follow them. */
  readonly aside: readonly Omit<Placed, "limit">[];
  /** A segment whose mark is there while the file is gone. */
  readonly missing: readonly { readonly name: string; readonly mark: DurableMark }[];
}

/**
 * Reads only headers and marks. The newest segment says which one it goes on from, that one says the same, and so on:
 * what is not on this chain was written by someone who had lost the run. Marks are read before any segment is, so that
 * a writer who goes on meanwhile is never taken for damage.
 */
export function readLayout(files: FileSystem, folder: RunFolder, run: string): LogLayout {
  const names = files.names(folder.log);
  const all = names.filter((name) => parseSegmentName(name) !== undefined).map((name) => {
    const path = join(folder.log, name);
    const mark = readMark(files, `${path}.durable`, chainSeed(run, name));
    return { name, path, mark, ...readHeader(files, path, { run, name }) };
  });
  const missing = names
    .filter((name) => name.endsWith(".jsonl.durable") && !names.includes(name.slice(0, -8)))
    .flatMap((name) => {
      const mark = readMark(files, join(folder.log, name), chainSeed(run, name.slice(0, -8)));
      return mark === undefined ? [] : [{ name: name.slice(0, -8), mark }];
    });

  const chain: Placed[] = [];
  const aside: Omit<Placed, "limit">[] = [];
  let wanted: { readonly segment: string; readonly bytes: number } | undefined;
  for (const segment of all.reverse()) {
    const { hasCommits, ...placed } = segment;
    // A mark is written only after the header is on the disk.
    const isWanted = chain.length === 0 ? placed.header !== undefined || placed.mark !== undefined || hasCommits : wanted === undefined ? true : wanted.segment === placed.name;
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
  return { segments: chain.reverse(), aside: aside.reverse(), missing };
}

function readHeader(files: FileSystem, path: string, { run, name }: { readonly run: string; readonly name: string }): { readonly header: SegmentHeader | undefined; readonly hasCommits: boolean } {
  const reader = openSegment(files, path, { run, name });
  try {
    const first = reader.flushes().next();
    const header = first.done === true ? undefined : first.value.header;
    return { header, hasCommits: header !== undefined || reader.looksWritten() };
  } finally {
    reader.close();
  }
}

function readMark(files: FileSystem, path: string, seed: number): DurableMark | undefined {
  if (files.facts(path) === undefined) return undefined;
  return parseMarks(readWhole(files, path, 1024), seed);
}
