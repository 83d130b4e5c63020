import { recoverValues } from "./recover-values.ts";
import type { Sample } from "./sample.ts";
import { createJsonSplitter, type JsonSplitter } from "./split-json.ts";
import { createLineSplitter } from "./split-lines.ts";
import type { Piece } from "./transcript-format.ts";
import type { ReportCounter } from "./transcript-report.ts";
import { membersFirst, splitPaths, walkDocument } from "./walk-document.ts";

/** How much of a transcript is kept at once. What is longer is left out and counted. */
export interface ReadLimits {
  /** Characters of one line, or of one entry of a document. @default 33554432 */
  readonly recordLength?: number;
  /** Characters up to which a document is read whole, which is faster. @default 16777216 */
  readonly wholeDocument?: number;
}

/** Turns text into the pieces a format asked for. */
export interface PieceReader {
  /** Takes the beginning of the transcript, which the sample was made of; what was read for the sample is not read again. */
  readonly begin: (text: string, sample: Sample) => void;
  readonly push: (text: string) => void;
  readonly end: () => void;
}

interface Reading {
  readonly split: readonly string[];
  readonly first: readonly string[];
  readonly limits: ReadLimits;
  readonly counter: ReportCounter;
  readonly give: (piece: Piece) => void;
}

/** A reader for one layout. */
export function createPieceReader(layout: Sample["layout"], reading: Reading): PieceReader {
  return layout === "document" ? documentReader(reading) : lineReader(reading, layout === "lines");
}

const RECORD_LENGTH = 32 * 1024 * 1024;

function lineReader({ split, limits: { recordLength = RECORD_LENGTH }, counter, give }: Reading, isJson: boolean): PieceReader {
  const lines = createLineSplitter({ maxLength: recordLength });
  const paths = splitPaths(split);
  let number = -1;

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

  /** A writer that was killed leaves half a record, and the next one goes on behind it. */
  function recover(line: string): void {
    const { values, why } = recoverValues(line);
    if (why !== undefined) {
      counter.add("records");
      counter.broken(why, `line ${String(number + 1)}`);
    }
    counter.add("recovered", values.length);
    for (const value of values) walkDocument(value, paths, { from: [number], give });
  }

  function readAll(found: readonly string[]): void {
    for (let tooLong = lines.takeTooLong(); tooLong > 0; tooLong -= 1) {
      counter.add("records");
      counter.broken(`longer than ${String(recordLength)} characters`, `after line ${String(number + 1)}`);
    }
    for (const line of found) read(line);
  }

  return {
    begin: (text, { values, whole }) => {
      if (whole === undefined || whole.end > recordLength) {
        readAll(lines.push(text));
        return;
      }
      for (const value of values.slice(0, whole.values)) walkDocument(value, paths, { from: [(number += 1)], give });
      readAll(lines.push(text.slice(whole.end)));
    },
    push: (text) => readAll(lines.push(text)),
    end: () => readAll(lines.end()),
  };
}

function documentReader({ split, first, limits: { recordLength = RECORD_LENGTH, wholeDocument = 16 * 1024 * 1024 }, counter, give }: Reading): PieceReader {
  const paths = splitPaths(split);
  let held: string[] = [];
  let length = 0;
  let splitter: JsonSplitter | undefined;
  let wasExact = false;

  function startSplitting(): void {
    const broken = (why: string, path: Piece["path"]): void => {
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
        // Broken or cut off somewhere: piece by piece what is whole is still read.
        startSplitting();
      }
      splitter?.end();
    },
  };
}

function parseWhole(text: string): unknown {
  try {
    // A byte order mark is no JSON.
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    return undefined;
  }
}
