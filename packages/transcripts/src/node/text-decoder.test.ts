import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { createTextDecoder } from "./text-decoder.ts";

function decodeInPieces(bytes: Uint8Array, cuts: readonly number[]): string {
  const decoder = createTextDecoder();
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  const texts = places.slice(1).map((end, index) => decoder.decode(bytes.subarray(places[index], end)));
  return texts.join("") + decoder.end();
}

const cutsOf = (bytes: Uint8Array): fc.Arbitrary<readonly number[]> =>
  fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 });

describe("createTextDecoder", () => {
  it("decodes a text the same however it is split", () => {
    fc.assert(
      fc.property(
        fc
          .string({ unit: "binary", maxLength: 60 })
          .map((text) => Buffer.from(`a${text}`))
          .chain((bytes) => fc.tuple(fc.constant(bytes), cutsOf(bytes))),
        ([bytes, cuts]) => {
          expect(decodeInPieces(bytes, cuts)).toBe(bytes.toString("utf8"));
        },
      ),
    );
  });

  it("decodes invalid bytes the same however they are split", () => {
    fc.assert(
      fc.property(
        fc
          .uint8Array({ maxLength: 40 })
          .map((bytes) => Buffer.from([0x61, ...bytes]))
          .chain((bytes) => fc.tuple(fc.constant(bytes), cutsOf(bytes))),
        ([bytes, cuts]) => {
          expect(decodeInPieces(bytes, cuts)).toBe(bytes.toString("utf8"));
        },
      ),
    );
  });

  it("keeps nothing of a chunk that is used again", () => {
    const decoder = createTextDecoder();
    const chunk = Buffer.from([0x61, 0xf0, 0x9f]);
    const first = decoder.decode(chunk);
    chunk.set([0x98, 0x80, 0x62]);
    expect(first + decoder.decode(chunk) + decoder.end()).toBe("a😀b");
  });
});
