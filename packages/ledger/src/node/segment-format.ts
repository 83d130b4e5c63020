import { crc32 } from "node:zlib";

/**
 * A segment is lines of JSON: a header, then events as they are, then after every flush one commit line. A commit line
 * carries the CRC-32 of everything since the one before, seeded with that one's, so that a flush is there as a whole
 * or not at all and nothing can be changed, moved, doubled or left out unseen. At the start and every 256 KiB the
 * commit line is an anchor: it also vouches for itself and its place, and the chain starts anew behind it.
 */
export interface SegmentHeader {
  readonly k: "^";
  /** 2: commit lines leave out what goes without saying. */
  readonly v: 1 | 2;
  readonly run: string;
  readonly epoch: number;
  readonly part: number;
  readonly writer: string;
  readonly at: number;
  /** The event before the first one of this segment. */
  readonly after: number;
  /** Where the segment before it ended, as far as it counts. */
  readonly previous?: {
    readonly segment: string;
    readonly bytes: number;
    readonly seq: number;
    readonly chain: number;
  };
  /** Bytes behind the end of the segment before that were set aside. */
  readonly recovered?: { readonly segment: string; readonly from: number; readonly bytes: number };
}

/** The content of a commit line. */
export interface Commit {
  readonly anchor: boolean;
  /** The last event up to here, and the number of events of the flush; one when the line does not say. */
  readonly seq: number;
  readonly count: number;
  /** The last event known to be on the disk; 0 when the line does not say, because the one before it knew as much. */
  readonly durable: number;
  readonly chain: number;
  /** Where the checked part of the line ends. */
  readonly checkedLength: number;
}

export const ANCHOR_EVERY = 256 * 1024;
/** How every commit line begins, seen from the line before it. */
export const CONTROL = Buffer.from('\n{"k":"');
export const ANCHOR = Buffer.from('\n{"k":"@"');

const COMMIT =
  /^(\{"k":"#","s":(0|[1-9]\d{0,15}),(?:"n":(0|[1-9]\d{0,8}),)?(?:"w":(0|[1-9]\d{0,15}),)?)"c":(0|[1-9]\d{0,9})\}$/;
const ANCHORED =
  /^(\{"k":"@","s":(0|[1-9]\d{0,15}),"n":(0|[1-9]\d{0,8}),"w":(0|[1-9]\d{0,15}),"b":(0|[1-9]\d{0,15}),)"c":(0|[1-9]\d{0,9}),"r":(0|[1-9]\d{0,9})\}$/;
const NAME = /^(\d{4,8})-(\d{4,8})\.jsonl$/;

/** Segments sort by the process that wrote them, then by their place in its work. */
export function segmentName({ epoch, part }: { readonly epoch: number; readonly part: number }): string {
  return `${String(epoch).padStart(4, "0")}-${String(part).padStart(4, "0")}.jsonl`;
}

export function parseSegmentName(name: string): { readonly epoch: number; readonly part: number } | undefined {
  const [, epoch, part] = NAME.exec(name) ?? [];
  return epoch === undefined || part === undefined ? undefined : { epoch: Number(epoch), part: Number(part) };
}

/** Where the chain of a segment begins: not the same for any two. */
export function chainSeed(run: string, name: string): number {
  return crc32(`${run}\n${name}`);
}

/** Reads a commit line, byte for byte of its one shape; `undefined` for anything else. `at` is its place. */
export function parseCommit(
  line: string,
  { at, seed }: { readonly at: number; readonly seed: number },
): (Commit & { readonly sum: number }) | undefined {
  const plain = COMMIT.exec(line);
  if (plain !== null) {
    const [, head = "", seq, count, durable, sum] = plain;
    return {
      anchor: false,
      seq: Number(seq),
      count: Number(count ?? 1),
      durable: Number(durable ?? 0),
      sum: Number(sum),
      chain: Number(sum),
      checkedLength: head.length,
    };
  }
  const anchored = ANCHORED.exec(line);
  if (anchored === null) return undefined;
  const [, head = "", seq, count, durable, place, sum, own] = anchored;
  if (Number(place) !== at || crc32(`${head}"c":${sum ?? ""},`, seed) !== Number(own)) return undefined;
  return {
    anchor: true,
    seq: Number(seq),
    count: Number(count),
    durable: Number(durable),
    sum: Number(sum),
    chain: Number(own),
    checkedLength: head.length,
  };
}

/** How far a segment is known to be on the disk: two slots, written in turn, so that one is always whole. */
export interface DurableMark {
  readonly seq: number;
  readonly bytes: number;
}

export const MARK_BYTES = 64;

export function encodeMark({ seq, bytes }: DurableMark, seed: number): Buffer {
  const head = `{"w":${String(seq)},"b":${String(bytes)},`;
  return Buffer.from(`${head}"c":${String(crc32(head, seed))}}`.padEnd(MARK_BYTES - 1) + "\n");
}

const MARK = /^(\{"w":(\d{1,16}),"b":(\d{1,16}),)"c":(\d{1,10})\} *$/;

export function parseMarks(bytes: Buffer, seed: number): DurableMark | undefined {
  let best: DurableMark | undefined;
  for (const line of bytes.toString("latin1").split("\n")) {
    const [, head = "", seq, end, sum] = MARK.exec(line) ?? [];
    if (seq === undefined || crc32(head, seed) !== Number(sum)) continue;
    if (best === undefined || Number(end) > best.bytes) best = { seq: Number(seq), bytes: Number(end) };
  }
  return best;
}
