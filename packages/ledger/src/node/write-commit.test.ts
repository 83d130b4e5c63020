import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseCommit } from "./segment-format.ts";
import { writeCommit } from "./write-commit.ts";

const NUMBERS = [0, 1, 9, 10, 99, 100, 4_294_967_295, 2_147_483_648, 9_007_199_254_740_991];

function lineOf(commit: Omit<Parameters<typeof writeCommit>[2], "chain" | "seed">): {
  readonly line: string;
  readonly sum: number;
  readonly chain: number;
} {
  const bytes = Buffer.alloc(300);
  const at = bytes.write('{"type":"x"}\n');
  const { end, chain } = writeCommit(bytes, at, { ...commit, chain: 5, seed: 7 });
  const line = bytes.toString("latin1", at, end);
  return { line, chain, sum: crc32(bytes.subarray(0, at + line.indexOf('"c":')), 5) };
}

describe("writeCommit", () => {
  it("leaves out what goes without saying", () => {
    const { line, sum } = lineOf({ seq: 17, count: 1, durable: undefined, anchorAt: undefined });
    expect(line).toBe(`{"k":"#","s":17,"c":${String(sum)}}\n`);
  });

  it.each(
    NUMBERS.flatMap((seq) => [
      { seq, anchorAt: undefined },
      { seq, anchorAt: 12 },
    ]),
  )("is read as it was written: $seq, anchor at $anchorAt", ({ seq, anchorAt }) => {
    const { line, sum, chain } = lineOf({ seq, count: 3, durable: 2, anchorAt });
    expect(parseCommit(line.slice(0, -1), { at: 12, seed: 7 })).toEqual({
      anchor: anchorAt !== undefined,
      seq,
      count: 3,
      durable: 2,
      sum,
      chain,
      checkedLength: line.indexOf('"c":'),
    });
    expect(line.endsWith("}\n")).toBe(true);
  });
});
