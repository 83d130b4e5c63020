import { crc32 } from "node:zlib";

/** The content of a commit line, and the state its checksums continue from. */
export interface CommitLine {
  readonly seq: number;
  readonly count: number;
  /** `undefined` when the line before said as much; an anchor always says it. */
  readonly durable: number | undefined;
  /** The place of the line in its segment, for an anchor. */
  readonly anchorAt: number | undefined;
  readonly chain: number;
  readonly seed: number;
}

/**
 * Writes the line that closes a flush behind the flush's lines, which end at `at`; returns where it ends and where the
 * chain continues from. With one event and nothing new on the disk it says neither: most lines of an agent that works
 * step by step are like that. Digit by digit, because making texts of them takes longer than the checksum.
 */
export function writeCommit(
  bytes: Buffer,
  at: number,
  { seq, count, durable, anchorAt, chain, seed }: CommitLine,
): { readonly end: number; readonly chain: number } {
  const anchored = anchorAt !== undefined;
  let end = member(bytes, text(bytes, at, anchored ? '{"k":"@",' : '{"k":"#",'), ['"s":', seq]);
  if (anchored || count !== 1) end = member(bytes, end, ['"n":', count]);
  if (anchored || durable !== undefined) end = member(bytes, end, ['"w":', durable ?? 0]);
  if (anchored) end = member(bytes, end, ['"b":', anchorAt]);
  const sum = crc32(bytes.subarray(0, end), chain);
  end = member(bytes, end, ['"c":', sum]);
  if (!anchored) return { end: text(bytes, end - 1, "}\n"), chain: sum };
  const own = crc32(bytes.subarray(at, end), seed);
  end = member(bytes, end, ['"r":', own]);
  return { end: text(bytes, end - 1, "}\n"), chain: own };
}

/** A name, a number and a comma. */
function member(bytes: Buffer, at: number, [name, value]: readonly [string, number]): number {
  return text(bytes, digits(bytes, text(bytes, at, name), value), ",");
}

function text(bytes: Buffer, at: number, ascii: string): number {
  for (let index = 0; index < ascii.length; index += 1) bytes[at + index] = ascii.charCodeAt(index);
  return at + ascii.length;
}

function digits(bytes: Buffer, at: number, value: number): number {
  let end = at + 1;
  for (let power = 10; power <= value; power *= 10) end += 1;
  let rest = value;
  for (let index = end - 1; index >= at; index -= 1) {
    const next = Math.floor(rest / 10);
    bytes[index] = 48 + (rest - next * 10);
    rest = next;
  }
  return end;
}
