import { alert, type Policy } from "@phasekit/core";
import { setBounded } from "../bounded.ts";
import { callDetector } from "../call-detector.ts";
import { keepInput, takeInput } from "../call-inputs.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `rereadRange`. */
export interface RereadRangeOptions extends CallOptions {
  /** Reads of one file that bring nothing that was not read before. @default 3 */
  readonly times?: number;
  /** Reads of one unchanged file in all. @default 40 */
  readonly pages?: number;
}

type Range = readonly [from: number, to: number];

interface FileReads {
  ranges: Range[];
  covered: number;
  reads: number;
}

interface RereadRangeState {
  readonly inputs: Map<string, unknown>;
  readonly files: Map<string, FileReads>;
  file: string;
}

const MAX_FILES = 64;
const MAX_RANGES = 24;

/**
 * Notices reading again what was read: parts of a file that earlier reads cover, and pages without end.
 *
 * Fires: lines 1–200 of a file, then 50–80, 100–150 and 20–60 of it; forty pages of one file.
 * Silent: paging forward, reading a file anew after it was edited, equal reads (those are `repeatedCall`'s).
 * Seen: stella issue 4034, 164 reads of one file; no recorded run here.
 */
export function rereadRange({ times = 3, pages = 40, tools }: RereadRangeOptions = {}): Policy<RereadRangeState> {
  return callDetector<RereadRangeState>({
    name: "reread-range",
    tools,
    initial: () => ({ inputs: new Map(), files: new Map(), file: "" }),
    onRequest: (state, event) => {
      if (event.meaning.activity === "read") keepInput(state.inputs, event);
    },
    onCall: (state, call, event) => {
      const { activity, targets } = event.meaning;
      state.file = "";
      if (activity === "edit" && targets !== undefined && state.files.size > 0) for (const target of targets) state.files.delete(target);
      if (activity !== "read") return;
      const input = takeInput(state.inputs, event);
      const file = targets?.[0];
      if (file === undefined || targets?.length !== 1 || call.failed) return;
      const range = rangeOf(input);
      if (range === undefined) return;
      state.file = file;
      foldRead(state, file, { range, again: call.moved !== undefined });
    },
    report: ({ files, file }) => {
      const found = file === "" ? undefined : files.get(file);
      if (found === undefined) return undefined;
      const { covered, reads } = found;
      if (covered >= times) return alert({ kind: "reread-range", signature: file, count: covered, severity: covered < times * 2 ? "notice" : "warning", evidence: { file, covered } });
      return reads >= pages ? alert({ kind: "endless-paging", signature: file, count: reads, severity: "notice", evidence: { file, reads } }) : undefined;
    },
  });
}

function foldRead({ files }: RereadRangeState, file: string, { range, again }: { readonly range: Range; readonly again: boolean }): void {
  const reads: FileReads = files.get(file) ?? { ranges: [], covered: 0, reads: 0 };
  reads.reads += 1;
  if (reads.ranges.length === 0) {
    // The first read of a file is all there is to compare with.
    if (range[1] < WHOLE[1]) reads.ranges = [range];
    setBounded(files, [file, reads], MAX_FILES);
    return;
  }
  // How much an open-ended read brought is not known: tools cut long files off.
  if (range[1] < WHOLE[1]) {
    if (!again && isCovered(reads.ranges, range)) reads.covered += 1;
    reads.ranges = addRange(reads.ranges, range).slice(-MAX_RANGES);
  }
  setBounded(files, [file, reads], MAX_FILES);
}

function isCovered(ranges: readonly Range[], [from, to]: Range): boolean {
  return ranges.some(([start, end]) => start <= from && to <= end);
}

/** The ranges with one more, neighbours put together, in order. */
function addRange(ranges: readonly Range[], added: Range): Range[] {
  const merged: Range[] = [];
  for (const range of [...ranges, added].toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && range[0] <= last[1] + 1) merged[merged.length - 1] = [last[0], Math.max(last[1], range[1])];
    else merged.push(range);
  }
  return merged;
}

const WHOLE: Range = [1, Number.MAX_SAFE_INTEGER];

/** The lines a read asks for; the whole file when it names none. */
function rangeOf(input: unknown): Range | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const given = input as Readonly<Record<string, unknown>>;
  const view = given["view_range"];
  if (Array.isArray(view) && typeof view[0] === "number") return [view[0], typeof view[1] === "number" && view[1] > 0 ? view[1] : WHOLE[1]];
  const start = given["offset"] ?? given["start_line"] ?? given["startLine"] ?? given["start"] ?? given["line_start"] ?? given["line_number"];
  const end = given["end_line"] ?? given["endLine"] ?? given["end"] ?? given["line_end"];
  const from = typeof start === "number" ? start : 1;
  if (typeof end === "number") return [from, end];
  const limit = given["limit"] ?? given["lines"] ?? given["num_lines"];
  if (typeof limit === "number") return [from, from + limit - 1];
  return typeof start === "number" ? [from, WHOLE[1]] : WHOLE;
}
