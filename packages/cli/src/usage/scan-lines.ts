import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { UsageReader } from "./usage-lines.ts";

const NEWLINE = 10;
/** Larger files are read in parts. */
const PART = 64 * 1024 * 1024;

/**
 * Parses the lines of a file that have one of the marks, and skips all others by their bytes: most of a log is text of
 * files and commands. A line that is not JSON is skipped too.
 */
export function scanLines(path: string, { marks, take }: UsageReader): void {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const part = Buffer.allocUnsafe(Math.min(size, PART) + 1);
    let kept = 0;
    for (let from = 0; from < size;) {
      if (kept === part.length) return;
      const read = readSync(file, part, kept, part.length - kept, from);
      if (read === 0) break;
      from += read;
      const end = kept + read;
      const last = from < size ? part.lastIndexOf(NEWLINE, end - 1) + 1 : end;
      scanPart(part.subarray(0, last), marks, take);
      part.copyWithin(0, last, end);
      kept = end - last;
    }
  } finally {
    closeSync(file);
  }
}

function scanPart(part: Buffer, marks: readonly string[], take: UsageReader["take"]): void {
  const places = marks.map((mark) => ({ mark, at: part.indexOf(mark) }));
  for (;;) {
    let next = -1;
    for (const { at } of places) if (at >= 0 && (next < 0 || at < next)) next = at;
    if (next < 0) return;
    const start = part.lastIndexOf(NEWLINE, next) + 1;
    const found = part.indexOf(NEWLINE, next);
    const end = found < 0 ? part.length : found;
    takeLine(part.toString("utf8", start, end), take);
    for (const place of places) if (place.at >= 0 && place.at < end) place.at = part.indexOf(place.mark, end);
  }
}

function takeLine(text: string, take: UsageReader["take"]): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  if (typeof value === "object" && value !== null) take(value as Readonly<Record<string, unknown>>);
}
