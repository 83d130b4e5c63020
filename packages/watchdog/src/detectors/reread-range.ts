import { alert, type Policy } from "@phasekit/core";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { type CallInputs, keepInput, takeInput } from "../call-inputs.ts";
import { commandOf, printedLines } from "../command-text.ts";
import { addRange, isCovered, type LineRange, rangeOf, toTheEnd } from "../line-range.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `rereadRange`. */
export interface RereadRangeOptions extends CallOptions {
  /** Reads of one file that bring nothing that was not read before. @default 3 */
  readonly times?: number;
  /** Reads of one unchanged file in all. @default 40 */
  readonly pages?: number;
}

interface FileReads {
  readonly file: string;
  /** The arguments of the first read: most files are read once, so they are looked at when there is a second one. */
  first: unknown;
  ranges: readonly LineRange[];
  covered: number;
  reads: number;
}

interface RereadRangeState extends DetectorState {
  readonly inputs: CallInputs;
  /** Files by a hash of their name: one that comes to the place of another is remembered instead of it. */
  readonly files: (FileReads | undefined)[];
  /** The file that was read last, once it was read twice. */
  current: FileReads | undefined;
}

const MAX_FILES = 256;
const NO_RANGES: readonly LineRange[] = [];
const MAX_RANGES = 24;

/**
 * Notices reading again what was read: parts of a file that earlier reads cover, and pages without end.
 *
 * Fires: lines 1–200 of a file, then 50–80, 100–150 and 20–60 of it, through a tool or `sed -n`; forty pages of one file.
 * Silent: paging forward, reading a file anew after it was edited, equal reads (those are `repeatedCall`'s).
 * Seen: stella issue 4034, 164 reads of one file; oh-my-openagent issue 3789, the same passages at ever new offsets.
 */
export function rereadRange({ times = 3, pages = 40, tools }: RereadRangeOptions = {}): Policy {
  return callDetector<RereadRangeState>({
    name: "reread-range",
    tools,
    seesAll: true,
    initial: () => ({ idle: true, inputs: [], files: [], current: undefined }),
    onRequest: (state, event) => {
      const { activity } = event.meaning;
      if (activity === "read" || activity === "run") keepInput(state.inputs, event);
    },
    onCall: (state, call, { event }) => {
      const { activity, targets } = event.meaning;
      state.current = undefined;
      state.idle = true;
      if (activity === "edit" && targets !== undefined) for (const target of targets) state.files[placeOf(target)] = undefined;
      if (activity !== "read" && activity !== "run") return;
      const input = takeInput(state.inputs, event);
      if (call.failed) return;
      const file = activity === "read" ? (targets?.length === 1 ? targets[0] : undefined) : printedLines(commandOf(input) ?? "")?.file;
      if (file === undefined) return;
      state.current = foldRead(state.files, file, { input, again: call.moved !== undefined });
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

/** The place of a file: the end of its name tells files apart best. */
function placeOf(file: string): number {
  let hash = file.length;
  for (let index = Math.max(0, file.length - 12); index < file.length; index += 1) hash = (Math.imul(hash, 31) + file.charCodeAt(index)) | 0;
  return hash & (MAX_FILES - 1);
}

function foldRead(files: (FileReads | undefined)[], file: string, { input, again }: { readonly input: unknown; readonly again: boolean }): FileReads | undefined {
  const place = placeOf(file);
  const known = files[place];
  if (known?.file !== file) {
    files[place] = { file, first: input, ranges: NO_RANGES, covered: 0, reads: 1 };
    return undefined;
  }
  known.reads += 1;
  if (known.first !== undefined) {
    const first = rangeOf(known.first);
    // How much an open-ended read brought is not known: tools cut long files off.
    if (first !== undefined && first[1] < toTheEnd) known.ranges = [first];
    known.first = undefined;
  }
  const range = rangeOf(input);
  if (range === undefined || range[1] === toTheEnd) return known;
  if (!again && isCovered(known.ranges, range)) known.covered += 1;
  known.ranges = addRange(known.ranges, range).slice(-MAX_RANGES);
  return known;
}
