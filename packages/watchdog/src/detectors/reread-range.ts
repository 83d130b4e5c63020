import { alert, type EventOf, type Policy } from "@phasekit/core";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { type CallInputs, keepInput, takeInput } from "../call-inputs.ts";
import { commandOf, printedLines } from "../command-text.ts";
import { addRange, isCovered, type LineRange, rangeOf, toTheEnd } from "../line-range.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `rereadRange`. */
export interface RereadRangeOptions extends CallOptions {
  /** Reads of one file that bring nothing that was not read before. @default 3 */
  readonly times?: number;
  /** Reads of one unchanged file, with not too much in between. @default 60 */
  readonly pages?: number;
}

/** Reads of one file that was read more than once. */
interface FileReads {
  readonly file: string;
  ranges: readonly LineRange[];
  covered: number;
  reads: number;
}

/** Files by a hash of their name: one that comes to the place of another is remembered instead of it. */
interface ReadFiles {
  readonly hashes: Int32Array;
  /** The number of the call that read it last. */
  readonly seen: Int32Array;
  readonly names: (string | undefined)[];
  /** The arguments of the first read: most files are read once, so they are looked at when there is a second one. */
  readonly inputs: unknown[];
  readonly again: (FileReads | undefined)[];
}

interface RereadRangeState extends DetectorState {
  readonly inputs: CallInputs;
  readonly files: ReadFiles;
  /** The file that was read last, once it was read twice. */
  current: FileReads | undefined;
}

const MAX_FILES = 256;
const MAX_RANGES = 24;
const FORGET_AFTER = 100;

/**
 * Notices reading again what was read: parts of a file that earlier reads cover, and pages without end.
 *
 * Fires: lines 1–200 of a file, then 50–80, 100–150 and 20–60 of it, through a tool or `sed -n`; sixty pages of one file.
 * Silent: paging forward, reading a file anew after it was edited, equal reads (those are `repeatedCall`'s).
 * Seen: stella issue 4034, 164 reads of one file; oh-my-openagent issue 3789, the same passages at ever new offsets.
 */
export function rereadRange({ times = 3, pages = 60, tools }: RereadRangeOptions = {}): Policy {
  return callDetector<RereadRangeState>({
    name: "reread-range",
    tools,
    sees: "all",
    initial: () => ({
      idle: true, inputs: [], current: undefined,
      files: { hashes: new Int32Array(MAX_FILES), seen: new Int32Array(MAX_FILES), names: [], inputs: [], again: [] },
    }),
    onRequest: (state, event) => {
      if (mayRead(event)) keepInput(state.inputs, event);
    },
    onCall: (state, call, { event, number }) => {
      const { activity, targets } = event.meaning;
      state.current = undefined;
      state.idle = true;
      if (activity === "edit" && targets !== undefined) for (const target of targets) state.files.names[placeOf(hashOfFile(target))] = undefined;
      if (!mayRead(event)) return;
      const input = takeInput(state.inputs, event);
      if (call.failed) return;
      const file = activity === "run" ? printedLines(commandOf(input) ?? "")?.file : targets?.length === 1 ? targets[0] : activity === "other" ? fileOf(input) : undefined;
      if (file === undefined) return;
      state.current = foldRead(state.files, file, { input, again: call.moved !== undefined, number });
      state.idle = state.current === undefined;
    },
    report: ({ current }) => {
      if (current === undefined) return undefined;
      const { file, covered, reads } = current;
      if (covered >= times) return alert({ kind: "reread-range", signature: file, count: covered, severity: covered < times * 2 ? "notice" : "warning", evidence: { file, covered } });
      return reads >= pages ? alert({ kind: "endless-paging", signature: file, count: reads, severity: "notice", evidence: { file, reads } }) : undefined;
    },
  });
}

/** A read, a command, or a tool nobody knows that is called one. */
function mayRead({ tool, meaning: { activity } }: EventOf<"tool.requested" | "tool.finished">): boolean {
  return activity === "read" || activity === "run" || (activity === "other" && /read|view|lines|open|show/i.test(tool));
}

function fileOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const { path, file, file_path, filePath, filename } = input as Readonly<Record<string, unknown>>;
  const found = path ?? file ?? file_path ?? filePath ?? filename;
  return typeof found === "string" ? found : undefined;
}

/** The end of a name tells files apart best. */
function hashOfFile(file: string): number {
  let hash = file.length;
  for (let index = Math.max(0, file.length - 12); index < file.length; index += 1) hash = (Math.imul(hash, 31) + file.charCodeAt(index)) | 0;
  return hash;
}

function placeOf(hash: number): number {
  return hash & (MAX_FILES - 1);
}

interface Reading {
  readonly input: unknown;
  readonly again: boolean;
  readonly number: number;
}

function foldRead({ hashes, seen, names, inputs, again: repeated }: ReadFiles, file: string, { input, again, number }: Reading): FileReads | undefined {
  const hash = hashOfFile(file);
  const place = placeOf(hash);
  const known = hashes[place] === hash && names[place] === file && number - (seen[place] ?? 0) <= FORGET_AFTER;
  seen[place] = number;
  if (!known) {
    hashes[place] = hash;
    names[place] = file;
    inputs[place] = input;
    repeated[place] = undefined;
    return undefined;
  }
  const first = rangeOf(inputs[place]);
  // How much an open-ended read brought is not known: tools cut long files off.
  const reads = (repeated[place] ??= { file, ranges: first === undefined || first[1] === toTheEnd ? [] : [first], covered: 0, reads: 1 });
  reads.reads += 1;
  const range = rangeOf(input);
  if (range === undefined || range[1] === toTheEnd) return reads;
  if (!again && isCovered(reads.ranges, range)) reads.covered += 1;
  reads.ranges = addRange(reads.ranges, range).slice(-MAX_RANGES);
  return reads;
}
