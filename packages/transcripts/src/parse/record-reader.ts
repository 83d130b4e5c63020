import { recoverValues } from "./recover-values.ts";
import type { Sample } from "./sample.ts";
import { createJsonSplitter, type JsonSplitter } from "./split-json.ts";
import { createLineSplitter } from "./split-lines.ts";
import type { TranscriptRecord } from "../transcript-format.ts";
import type { ReportCounter } from "../transcript-report.ts";
import { membersFirst, splitPaths, walkDocument } from "./walk-document.ts";

/** Limits on how much of a transcript is buffered. Longer records are skipped and counted. */
export interface ReadLimits {
  /** Characters of one line, or of one entry of a document. @default 33554432 */
  readonly recordLength?: number;
  /** Characters up to which a document is read whole, which is faster. @default 16777216 */
  readonly wholeDocument?: number;
}

/** Splits text into the records a format asked for. */
export interface RecordReader {
  /** Reads the beginning of the transcript. Values parsed for the sample are not parsed again. */
  readonly begin: (text: string, sample: Sample) => void;
  readonly push: (text: string) => void;
  readonly end: () => void;
}

interface ReadContext {
  readonly split: readonly string[];
  readonly first: readonly string[];
  readonly limits: ReadLimits;
  readonly counter: ReportCounter;
  readonly give: (piece: TranscriptRecord) => void;
}

/** Returns the reader for a layout. */
export function createRecordReader(layout: Sample["layout"], reading: ReadContext): RecordReader {
  return layout === "document" ? documentReader(reading) : lineReader(reading, layout === "lines");
}

const RECORD_LENGTH = 32 * 1024 * 1024;
/** Most empty lines passed on from one series of them. */
const MAX_BLANK = 16;

function lineReader(
  { split, limits: { recordLength = RECORD_LENGTH }, counter, give }: ReadContext,
  isJson: boolean,
): RecordReader {
  const paths = splitPaths(split);
  let number = -1;
  const lines = createLineSplitter({
    maxLength: recordLength,
    line: read,
    blank: (count) => {
      // Only plain texts need empty lines: they separate paragraphs.
      if (!isJson)
        for (let index = 1; index <= Math.min(count, MAX_BLANK); index += 1)
          give({ path: [number + index], value: "" });
      number += count;
    },
    tooLong: () => {
      counter.add("records");
      counter.broken(`longer than ${String(recordLength)} characters`, `after line ${String(number + 1)}`);
    },
  });

  function read(line: string): void {
    number += 1;
    if (!isJson) {
      give({ path: [number], value: line });
      return;
    }
    if (line.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      recover(line);
      return;
    }
    walkDocument(value, paths, { from: [number], give });
  }

  /** A killed writer leaves half a record, and the next writer continues on the same line. */
  function recover(line: string): void {
    const { values, why } = recoverValues(line);
    if (why !== undefined) {
      counter.add("records");
      counter.broken(why, `line ${String(number + 1)}`);
    }
    counter.add("recovered", values.length);
    for (const value of values) walkDocument(value, paths, { from: [number], give });
  }

  return {
    begin: (text, { values, whole }) => {
      if (whole === undefined || whole.end > recordLength) {
        lines.push(text);
        return;
      }
      for (const value of values.slice(0, whole.values)) walkDocument(value, paths, { from: [(number += 1)], give });
      lines.push(text.slice(whole.end));
    },
    push: lines.push,
    end: lines.end,
  };
}

function documentReader({
  split,
  first,
  limits: { recordLength = RECORD_LENGTH, wholeDocument = 16 * 1024 * 1024 },
  counter,
  give,
}: ReadContext): RecordReader {
  const paths = splitPaths(split);
  let held: string[] = [];
  let length = 0;
  let splitter: JsonSplitter | undefined;
  let wasExact = false;

  function startSplitting(): void {
    const broken = (why: string, path: TranscriptRecord["path"]): void => {
      counter.add("records");
      counter.broken(why, path.join("."));
    };
    splitter = createJsonSplitter(paths, { maxLength: recordLength, give, broken });
    for (const text of held) splitter.push(text);
    held = [];
  }

  function push(text: string): void {
    if (splitter !== undefined) {
      splitter.push(text);
      return;
    }
    held.push(text);
    length += text.length;
    if (length > wholeDocument) startSplitting();
  }

  return {
    begin: (text, { values, isWhole, isExact }) => {
      wasExact = isWhole && isExact;
      if (wasExact) walkDocument(membersFirst(values[0], first), paths, { give });
      else push(text);
    },
    push,
    end: () => {
      if (wasExact) return;
      if (splitter === undefined) {
        const value = parseWhole(held.join(""));
        if (value !== undefined) {
          held = [];
          walkDocument(membersFirst(value, first), paths, { give });
          return;
        }
        // Damaged or truncated: read the complete records one by one.
        startSplitting();
      }
      splitter?.end();
    },
  };
}

function parseWhole(text: string): unknown {
  try {
    // A byte order mark is not JSON.
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    return undefined;
  }
}
